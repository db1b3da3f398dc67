# SPDX-License-Identifier: MIT
# From `rwsem list --json` to designs.md.  Reads the family tree from the file
# `family`, and the files of designs from `folder`.

# ---- JSON, of which each line has one thing ----

function value(line) {
	sub(/^ *("[a-z_]*": )?/, "", line)
	sub(/,$/, "", line)
	if (line !~ /^"/)
		return line ~ /^(null|\[\])$/ ? "" : line
	line = substr(line, 2, length(line) - 2)
	gsub(/\\"/, "\"", line)
	gsub(/\\\\/, "\\", line)
	return line
}
function key(line) {
	sub(/^ *"/, "", line)
	sub(/".*/, "", line)
	return line
}
function add(name, text, between) {
	all[count, name] = all[count, name] \
	    (all[count, name] == "" ? "" : between) text
}

/^ \{/ { count++ }
/^  "/ { list = "" }
/^  "[a-z_]*": \[$/ { list = key($0); next }
/^  "/ { all[count, key($0)] = value($0) }
/^   "/ { add(list, value($0), ", ") }
/^    "to"/ { to = value($0) }
/^    "what"/ {
	add(list, "[" to "](#" to "): " escape(value($0)), "<br>")
}

# ---- Markdown ----

# Text outside of `code`, so that Markdown takes it for text.
function escape(text,    n, i, parts) {
	n = split(text, parts, "`")
	text = ""
	for (i = 1; i <= n; i++)
		if (i % 2 == 0 && i < n) {
			text = text "`" parts[i] "`"
		} else {
			gsub(/[][\\*_<>|~]/, "\\\\&", parts[i])
			text = text (i % 2 == 0 ? "\\`" : "") parts[i]
		}
	return text
}

function row(name, text) {
	if (text != "")
		printf "| %s | %s |\n", name, text
}

# ---- The comment at the top of a file ----

function code(on) {
	if (on != coding)
		printf "%s", on ? "\n```text\n" : "```\n"
	coding = on
}

# One more line of a diagram; blank lines within it matter.
function diagram(line) {
	code(1)
	for (; blanks > 0; blanks--)
		print ""
	print line
}

# Lines that stand in from the first one are set in columns, but for lists.
function is_columns(    i) {
	for (i = 2; i <= lines_count; i++)
		if (lines[i] ~ /^  / && lines[1] !~ /^(-|[0-9]+\.) /)
			return 1
	return 0
}

# A paragraph begins with a word that says what it is about.
function paragraph(    i, columns, text) {
	columns = is_columns()
	for (i = 1; i <= lines_count; i++)
		if (columns)
			diagram(lines[i])
		else
			text = text "\n" escape(lines[i])
	if (text != "") {
		code(0)
		blanks = 0
		if (match(text, /^\n[A-Z][a-z]+\./))
			text = "\n**" substr(text, 2, RLENGTH - 1) "**" \
			    substr(text, RLENGTH + 1)
		print text
	}
	lines_count = 0
}

function comment_line(line) {
	if (line ~ /^\t/) {
		paragraph()
		diagram(substr(line, 2))
	} else if (line ~ /^[ \t]*$/) {
		paragraph()
		blanks += coding
	} else {
		lines[++lines_count] = line
	}
}

function comment(path,    line, inside, last) {
	lines_count = coding = blanks = 0
	while (!last && (getline line <path) > 0) {
		if (line ~ /SPDX-License-Identifier/)
			continue
		inside = inside || line ~ /^\/\*/
		if (!inside)
			break
		last = sub(/[ \t]*\*\/$/, "", line)
		sub(/^(\/\*+| \*) ?/, "", line)
		comment_line(line)
	}
	close(path)
	paragraph()
	code(0)
}

# ---- The page ----

function contents(    i) {
	print "## All\n\n| design | year | what |\n|---|---|---|"
	for (i = 1; i <= count; i++)
		if (all[i, "file"] != "")
			printf "| [%s](#%s) | %s | %s |\n", all[i, "name"],
			    all[i, "name"],
			    all[i, "year"] == "" ? "-" : all[i, "year"],
			    escape(all[i, "summary"])
}

function screen(i,    file, path) {
	file = all[i, "file"]
	path = "src/designs/" file
	printf "\n## %s\n\n", all[i, "name"]
	print "| | |\n|---|---|"
	row("what", escape(all[i, "summary"]))
	row("origin", escape(all[i, "origin"]))
	row("year", all[i, "year"])
	row("traits", all[i, "traits"])
	row("operations", all[i, "operations"])
	row("bytes", all[i, "bytes"])
	row("readers at most", all[i, "readers_max"])
	row("took", all[i, "owes"])
	row("file", "[" path "](../" path ")")
	# Several designs of one file: what it opens with is said once.
	if (!(file in said))
		comment(folder "/" file)
	else
		printf "\nThe file's comment stands under [%s](#%s).\n",
		    said[file], said[file]
	if (!(file in said))
		said[file] = all[i, "name"]
}

END {
	print "# Designs\n"
	print "Every lock of this project, one screen each: what `rwsem list`"
	print "says of it, and what its file opens with. Of operations only those"
	print "are named that a lock may lack; sizes are those of x86-64 with"
	print "glibc. `sh docs/designs.sh RWSEM`, with the path of the command,"
	print "writes this page, and a test compares.\n"
	print "## Who took what from whom\n"
	print "![The family of designs](designs.svg)\n"
	print "The same as text, from `rwsem list --family`: a design stands"
	print "under the one from which it has most.\n\n```text"
	while ((getline line <family) > 0)
		print line
	print "```\n"
	contents()
	for (i = 1; i <= count; i++)
		if (all[i, "file"] != "")
			screen(i)
}
