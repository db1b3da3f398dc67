#!/bin/sh
# SPDX-License-Identifier: MIT
# A report in a browser: on a phone and on a desk, light and dark, nothing is
# wider than the window, texts can be read and charts are there; on paper it has
# the size of paper.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

for browser in chromium chromium-browser google-chrome ''; do
	[ -z "$browser" ] || ! command -v "$browser" >/dev/null || break
done
for program in "${browser:-chromium}" gnuplot; do
	if ! command -v "$program" >/dev/null; then
		echo "skipped: $program is not installed"
		exit 77
	fi
done

browse() {
	timeout $((60 * patience)) "$browser" --headless=new --no-sandbox \
		--disable-gpu --hide-scrollbars --no-first-run \
		--user-data-dir="$dir/profile" "$@" \
		>"$dir/out" 2>"$dir/err" || fail "$browser $*: status $?"
}

# What the page is like in a frame, which can be narrower than any window.
frame() {
	cat <<END
<!DOCTYPE html><iframe id="f" style="width:$2px;height:900px;border:0"
src="file://$1"></iframe><script>
onload = function () {
	const d = f.contentDocument, w = f.contentWindow, e = d.documentElement;
	const says = [];
	const light = c => c.match(/[\d.]+/g).slice(0, 3).map(x => x / 255)
		.map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4)
		.reduce((s, x, i) => s + x * [.2126, .7152, .0722][i], 0);
	const ratio = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
	const ground = light(w.getComputedStyle(d.body).backgroundColor);
	const shown = [...d.querySelectorAll('svg')].filter(s =>
		s.getBoundingClientRect().height > 0);
	if (e.scrollWidth > e.clientWidth)
		says.push('wider than the window: ' + e.scrollWidth);
	for (const x of d.querySelectorAll('h1,h2,p,dd,figure,.table,svg'))
		if (x.getBoundingClientRect().right > e.clientWidth + 1)
			says.push('sticks out: ' + x.tagName);
	if ((ground < .2) !== ($3 === 0))
		says.push('the ground has lightness ' + ground);
	for (const x of d.querySelectorAll('h1,h2,p,dt,dd,a,th,td,small,b,li'))
		if (ratio(light(w.getComputedStyle(x).color), ground) < 4.5)
			says.push('too pale: ' + x.tagName + ' ' + x.className);
	if (shown.length !== d.querySelectorAll('figure').length)
		says.push(shown.length + ' charts are shown');
	for (const s of shown) {
		const t = s.querySelector('text').getBoundingClientRect();
		const r = s.getBoundingClientRect();
		if (t.height < 9 || r.width < 250 || r.height < 120)
			says.push('too small: ' + s.getAttribute('aria-label'));
	}
	for (const x of d.querySelectorAll('svg path[stroke*="--k"]'))
		if (ratio(light(w.getComputedStyle(x).stroke), ground) < 2)
			says.push('a pale line: ' + x.getAttribute('stroke'));
	document.body.textContent = 'seen ' + e.clientWidth + ' ' +
		shown.length + (says.length ? ': ' + says.join('; ') : '.');
};
</script>
END
}

look() {
	frame "$1" "$2" "$3" >"$dir/frame.html"
	browse --allow-file-access-from-files --window-size=1400,900 \
		--blink-settings=preferredColorScheme="$3" \
		--dump-dom "file://$dir/frame.html"
	grep -o "seen $2 [0-9]*\..*" "$dir/out" | sed 's/<.*//' ||
		fail "$1: $(grep -o 'seen.*' "$dir/out")"
}

on_paper() {
	browse --no-pdf-header-footer --print-to-pdf="$dir/page.pdf" "file://$1"
	[ "$(head -c 4 "$dir/page.pdf")" = %PDF ] || fail "$1: nothing printed"
	grep -ao 'MediaBox *\[[^]]*\]' "$dir/page.pdf" | sort -u >"$dir/box"
	awk '{ gsub(/[^0-9. ]/, " "); if ($3 < 594 || $3 > 596 ||
		$4 < 841 || $4 > 843) exit 1; n++ } END { exit n == 0 }' \
		"$dir/box" || fail "$1: not A4: $(cat "$dir/box")"
}

check() {
	run 0 report "$1" -o "$dir/page.html"
	for width in 390 1280; do
		for scheme in 0 1; do # dark, light
			look "$dir/page.html" $width $scheme
		done
	done
	on_paper "$dir/page.html"
}

run 0 bench --full --rounds 2 --seconds 0.001 --json "$dir/full.json"
check "$dir/full.json"
run 0 bench --set lineage --rounds 1 --seconds 0.002 --json "$dir/lineage.json"
check "$dir/lineage.json"
check "$(dirname "$0")/report_seed.json"
