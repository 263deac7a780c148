// The status page's style sheet, and how its Content-Security-Policy names it.

import { createHash } from 'node:crypto';

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --line: #dfe3e8; --text: #1c2430; --quiet: #5b6675; --link: #0b5cad;
  --good: #17693a; --good-ground: #e2f4e8; --fair: #7a4b00; --fair-ground: #fdf0d5;
  --bad: #a31621; --bad-ground: #fde5e6; --none: #4b5563; --none-ground: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1a2029; --line: #2d3643; --text: #e4e8ee; --quiet: #9aa6b5; --link: #7db8f5;
    --good: #7fdca3; --good-ground: #15362270; --fair: #f2c46d; --fair-ground: #3b2d1080;
    --bad: #ff9aa0; --bad-ground: #45191d80; --none: #b3bdca; --none-ground: #2a323d;
  }
}
* { box-sizing: border-box; }
body {
  max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 2rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
p { margin: 0; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 0 0 .5rem; font-size: 1.125rem; }
small, .quiet { color: var(--quiet); font-size: .875rem; font-weight: normal; }
a { color: var(--link); }
header, main > * { margin-bottom: 1.5rem; }
ul { margin: 0; padding-left: 1.5rem; }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
.badge {
  display: inline-block; padding: .1rem .6rem; border-radius: 1rem;
  font-size: .875rem; font-weight: 600;
}
.good { color: var(--good); background: var(--good-ground); }
.fair { color: var(--fair); background: var(--fair-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.none { color: var(--none); background: var(--none-ground); }
table {
  width: 100%; border: 1px solid var(--line); border-radius: .5rem; border-spacing: 0;
  background: var(--card);
}
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .6rem .8rem; text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-size: .875rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
tbody th, tbody td { border-top: 1px solid var(--line); }
tbody th, td { white-space: nowrap; }
td:last-child { width: 100%; min-width: 14rem; white-space: normal; }
progress { width: 100%; max-width: 12rem; accent-color: var(--link); }
@media (max-width: 60rem) {
  table, tbody, tr, tbody th, td { display: block; }
  thead { display: none; }
  tr { padding: .6rem .8rem; }
  tr + tr { border-top: 1px solid var(--line); }
  tbody th, tbody td { padding: .2rem 0; border: 0; white-space: normal; }
  td { display: grid; grid-template-columns: 6.5rem 1fr; }
  td:last-child { width: auto; min-width: 0; }
  td::before { content: attr(data-label); color: var(--quiet); font-size: .875rem; line-height: 1.7; }
}
`;

export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
