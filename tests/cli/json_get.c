/* SPDX-License-Identifier: MIT */
/*
 * json_get FILE [KEY...]: print what a JSON file has at this place.
 *
 * A key is a member's name or an element's number.  Strings and numbers are
 * printed as they are; of arrays and objects the number of entries.  Fails if
 * the file is not valid JSON, or has nothing there.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static int print(const json_t *value)
{
	if (json_is_string(value))
		return puts(json_string_value(value)) < 0;
	if (json_is_array(value))
		return printf("%zu\n", json_array_size(value)) < 0;
	if (json_is_object(value))
		return printf("%zu\n", json_object_size(value)) < 0;
	if (json_dumpf(value, stdout, JSON_ENCODE_ANY))
		return 1;
	return putchar('\n') == EOF;
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root, *value;

	if (argc < 2) {
		fputs("json_get: a file is needed\n", stderr);
		return 2;
	}
	root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		fprintf(stderr, "%s: line %d: %s\n", argv[1], error.line,
			error.text);
		return 1;
	}
	value = root;
	for (int i = 2; i < argc && value; i++) {
		if (json_is_array(value))
			value =
			    json_array_get(value, strtoul(argv[i], NULL, 10));
		else
			value = json_object_get(value, argv[i]);
	}
	if (!value) {
		fprintf(stderr, "%s: nothing there\n", argv[1]);
		return 1;
	}
	if (print(value))
		return 1;
	json_decref(root);
	return 0;
}
