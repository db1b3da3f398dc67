# SPDX-License-Identifier: MIT
# The SYNOPSIS sections of mdoc pages as C: includes, then prototypes.
/^\.Sh / { inside = $2 == "SYNOPSIS" }
!inside { next }
function quoted(line,    list, sep) {
	while (match(line, /"[^"]*"/)) {
		list = list sep substr(line, RSTART + 1, RLENGTH - 2)
		sep = ", "
		line = substr(line, RSTART + RLENGTH)
	}
	return list
}
/^\.In / { if (!seen[$2]++) printf "#include <%s>\n", $2 }
/^\.Vt / { $1 = ""; prototypes = prototypes "static " $0 "\n" }
/^\.Ft / { type = substr($0, 5) }
/^\.Fn / { prototypes = prototypes type " " $2 "(" quoted($0) ");\n" }
/^\.Fo / { name = $2; list = sep = "" }
/^\.Fa / { list = list sep quoted($0); sep = ", " }
/^\.Fc/ { prototypes = prototypes type " " name "(" list ");\n" }
END { printf "%s", prototypes }
