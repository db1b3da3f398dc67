/* SPDX-License-Identifier: MIT */
/*
 * How a report looks.  Nothing is fetched: fonts are those of the reader's
 * system.  The first colour of the charts is ours; the others were chosen to be
 * told apart on either ground, by most who see few colours as well, and marks
 * differ too.
 */
#include "tools/lib/report_page.h"

static const char colours[] =
    ":root{--ground:#fdfdfb;--sheet:#fff;--text:#26251f;--quiet:#6b6a63;"
    "--line:#dddcd5;--grid:#e9e8e2;--axis:#98978f;--yes:#1a7345;--no:#b3352b;"
    "--ours:#eef4fc;--link:#1d5fae;"
    "--k1:#2a78d6;--k2:#eb6834;--k3:#1baf7a;--k4:#d99300;"
    "--k5:#d9659a;--k6:#008300;--k7:#4a3aa7;--k8:#7d7c75}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#171716;--sheet:#1d1d1b;"
    "--text:#e5e3db;--quiet:#a09e95;--line:#3b3a36;--grid:#2d2c29;"
    "--axis:#77756d;--yes:#5fc48d;--no:#f08a80;--ours:#1b2838;--link:#86b6f0;"
    "--k1:#4d97ea;--k2:#e2703f;--k3:#21a97a;--k4:#cf9412;"
    "--k5:#dd6f9f;--k6:#3fa33f;--k7:#9b90ee;--k8:#918f87}}\n"
    /* Paper is white, whatever the screen is. */
    "@media print{:root{--ground:#fff;--sheet:#fff;--text:#111;--quiet:#555;"
    "--line:#ccc;--grid:#e4e4e4;--axis:#888;--yes:#1a7345;--no:#b3352b;"
    "--ours:#eef4fc;--link:#111;"
    "--k1:#2a78d6;--k2:#eb6834;--k3:#1baf7a;--k4:#d99300;"
    "--k5:#d9659a;--k6:#008300;--k7:#4a3aa7;--k8:#7d7c75}}\n";

static const char text[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0 auto;max-width:66rem;padding:0 1.25rem 4rem;"
    "background:var(--ground);color:var(--text);"
    "font:1rem/1.55 \"Iowan Old Style\",\"Palatino Linotype\",Palatino,"
    "\"Book Antiqua\",\"URW Palladio L\",Georgia,\"DejaVu Serif\",serif;"
    "overflow-wrap:break-word}\n"
    "h1,h2,h3{font-weight:600;line-height:1.2;text-wrap:balance;"
    "break-after:avoid}\n"
    "h1{font-size:2.1rem;margin:3.2rem 0 1.4rem;letter-spacing:-.01em}\n"
    "h2{font-size:1.5rem;margin:3.6rem 0 .8rem;padding-top:1.1rem;"
    "border-top:1px solid var(--line)}\n"
    "h3{font-size:1.12rem;margin:2.2rem 0 .5rem}\n"
    "p{margin:.5rem 0 1rem;max-width:42rem}\n"
    "p.note{color:var(--quiet);font-size:.9rem}\n"
    "p.lead{font-size:1.1rem}\n"
    "p.warn{border-left:3px solid var(--no);padding-left:.8rem}\n"
    "a{color:var(--link);text-underline-offset:.15em}\n"
    "dl,nav,.table,figcaption,.legend,svg{"
    "font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Helvetica Neue\",\"Noto Sans\",\"DejaVu Sans\",sans-serif}\n"
    "dl{display:grid;grid-template-columns:"
    "repeat(auto-fill,minmax(min(9.5rem,100%),1fr));"
    "gap:.7rem 1.2rem;margin:0;padding:1rem 0;"
    "border:solid var(--line);border-width:1px 0;font-size:.85rem;"
    "line-height:1.35}\n"
    "dl div{min-width:0}\n"
    "dt{color:var(--quiet);font-size:.78rem}\ndd{margin:0}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;list-style:none;"
    "margin:1rem 0 0;padding:0;font-size:.85rem}\n";

static const char figures[] =
    ".figures{display:grid;gap:1.6rem 2rem;grid-template-columns:"
    "repeat(auto-fill,minmax(min(22rem,100%),1fr))}\n"
    "figure{margin:1.2rem 0 1.6rem;min-width:0;break-inside:avoid}\n"
    ".figures figure{margin:0}figure.full{grid-column:1/-1}\n"
    "figcaption{font-size:.92rem;line-height:1.35}\n"
    "figcaption span{display:block;color:var(--quiet);font-size:.8rem}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem .9rem;list-style:none;"
    "margin:.45rem 0 .3rem;padding:0;font-size:.78rem}\n"
    ".legend li{white-space:nowrap}\n"
    ".legend i{display:inline-block;width:.7em;height:.7em;margin-right:.4em;"
    "border-radius:2px;print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}\n"
    "i.k1{background:var(--k1)}i.k2{background:var(--k2)}"
    "i.k3{background:var(--k3)}i.k4{background:var(--k4)}\n"
    "i.k5{background:var(--k5)}i.k6{background:var(--k6)}"
    "i.k7{background:var(--k7)}i.k8{background:var(--k8)}\n"
    "svg{display:block;width:100%;height:auto}\n"
    ".narrow{display:none}\n"
    "@media screen and (max-width:40rem){.wide{display:none}"
    ".narrow{display:block}}\n";

static const char tables[] =
    ".table{overflow-x:auto;margin:.8rem 0 1.4rem;font-size:.82rem;"
    "line-height:1.4;font-variant-numeric:tabular-nums lining-nums}\n"
    ".table:focus-visible{outline:2px solid var(--link);outline-offset:3px}\n"
    "table{border-collapse:collapse;min-width:min(100%,34rem)}\n"
    "caption{text-align:left;color:var(--quiet);padding-bottom:.35rem}\n"
    "thead{display:table-header-group}\ntr{break-inside:avoid}\n"
    "th,td{padding:.28rem .8rem .28rem 0;vertical-align:baseline;"
    "border-bottom:1px solid var(--grid)}\n"
    "thead th{font-weight:500;color:var(--quiet);"
    "border-bottom:1px solid var(--axis);vertical-align:bottom}\n"
    "th{text-align:left;font-weight:400}\n"
    "tbody th{position:sticky;left:0;background:var(--ground);"
    "white-space:nowrap}\n"
    "tbody th.long{position:static;white-space:normal;min-width:13rem}\n"
    "tr.ours>*{background:var(--ours)}\ntr.ours th{font-weight:600;"
    "box-shadow:inset 3px 0 var(--k1);padding-left:.55rem}\n"
    ".r{text-align:right}td.r{white-space:nowrap}\n"
    ".l,.v{text-align:left}td.v{white-space:nowrap}td.l{min-width:9rem}\n"
    "small{color:var(--quiet);font-size:.88em}\n"
    "td small{display:inline-block;min-width:6.6em;padding-left:.55em;"
    "text-align:left}\n"
    "b.yes,b.no{font-weight:600;white-space:nowrap}\n"
    "b.yes{color:var(--yes)}b.no{color:var(--no)}\n";

static const char paper[] =
    "@page{size:A4;margin:16mm 15mm}\n"
    "@media print{html{font-size:9.5pt}body{max-width:none;padding:0}"
    "nav{display:none}h2+p{break-after:avoid}h1{margin-top:0}h2{margin-top:"
    "2rem}"
    ".table{overflow:visible;font-size:7.4pt}"
    ".figures{grid-template-columns:1fr 1fr}"
    "tbody th{position:static}thead th{overflow-wrap:normal}"
    "td.r{white-space:normal}td.l{min-width:0}"
    /* Many columns have room for medians side by side, not for spreads. */
    "tr:has(>:nth-child(7)) small{display:block;min-width:0;padding:0;"
    "text-align:right}"
    "th,td{padding-right:.5rem}a{text-decoration:none}}\n";

void rwi_page_style(FILE *file)
{
	fputs("<style>\n", file);
	fputs(colours, file);
	fputs(text, file);
	fputs(figures, file);
	fputs(tables, file);
	fputs(paper, file);
	fputs("</style>\n", file);
}
