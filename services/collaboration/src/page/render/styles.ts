import { createHash } from 'node:crypto';

const series = (colours: string[]) => colours.map((colour, at) => `--series-${at + 1}:${colour}`).join(';');

const light = `--page:#f4f5f8;--surface:#fff;--ink:#1b1f2a;--muted:#5b6272;--grid:#dfe2ea;--note:#a63a00;--heat:#2450c4;--on-heat:#fff;${series(
  [
    '#2450c4',
    '#c2410c',
    '#0b7a5b',
    '#8b2fb0',
    '#9a6700',
    '#0b7285',
    '#b4235a',
    '#475569',
    '#4d7c0f',
    '#6d28d9',
    '#7c2d12',
    '#0369a1',
  ],
)}`;
const dark = `--page:#10131a;--surface:#191d27;--ink:#e9ecf3;--muted:#a3abbd;--grid:#343b4b;--note:#ffab70;--heat:#7ea2ff;--on-heat:#10131a;${series(
  [
    '#7ea2ff',
    '#ff9d5c',
    '#4fd1a5',
    '#d59bf6',
    '#f0c24b',
    '#5ed3e6',
    '#ff8fb8',
    '#b6c2d6',
    '#a8d46f',
    '#b6a0ff',
    '#e0a58a',
    '#7cc7f7',
  ],
)}`;

/** The page's one style sheet. Its hash is in the Content-Security-Policy, so it is the only one that works. */
export const styles = `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
@media print{:root{color-scheme:light;${light};--page:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
.sheet{max-width:976px;margin:0 auto;padding:32px 24px 48px}
header p{margin:0}
.project{color:var(--muted);font-size:14px}
h1{font-size:28px;line-height:1.2;margin:4px 0 8px}
h2{font-size:17px;margin:0 0 12px}
.facts{color:var(--muted);font-size:14px;display:flex;flex-wrap:wrap;gap:4px 20px}
.described{margin:12px 0 0;max-width:70ch;white-space:pre-wrap}
.card{background:var(--surface);border:1px solid var(--grid);border-radius:12px;padding:20px;margin:20px 0 0}
figure{margin:20px 0 0}
svg{display:block;max-width:100%;height:auto}
.narrow{display:none}
.scroll{overflow-x:auto}
.scroll:focus-visible,a:focus-visible{outline:3px solid var(--series-1);outline-offset:2px}
.grid svg{max-width:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 14px;padding:0;font-size:14px}
.legend-title{color:var(--muted)}
.legend svg{display:inline-block;vertical-align:-1px;margin-right:7px}
.notes{margin:0;padding:0;list-style:none;font-size:15px}
.notes li{display:grid;grid-template-columns:28px 1fr;padding:6px 0}
.notes li+li{border-top:1px solid var(--grid)}
.number{color:var(--note);font-weight:700}
.days{color:var(--muted);font-size:14px}
.tag{display:inline-block;border:1px solid var(--grid);border-radius:99px;padding:0 9px;font-size:13px;color:var(--muted);margin-right:4px}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--muted);padding-bottom:8px}
th,td{text-align:left;padding:7px 12px 7px 0;border-bottom:1px solid var(--grid);vertical-align:top}
thead th,thead td{color:var(--muted);font-weight:600;border-bottom-width:2px;vertical-align:bottom}
tbody th{font-weight:500;min-width:7em}
tbody tr:last-child>*{border-bottom:0}
.value{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
thead .value{white-space:normal}
td table{margin:-7px 0}
.more,.empty{color:var(--muted)}
footer{color:var(--muted);font-size:13px;margin-top:24px}
.plain{display:grid;place-content:center;min-height:100vh;text-align:center;padding:24px}
@media (max-width:640px){
.sheet{padding:20px 14px 32px}
h1{font-size:23px}
.card{padding:14px}
.wide{display:none}
.narrow{display:block}
}
@media print{
.wide{display:block}
.narrow{display:none}
.sheet{max-width:none;padding:0}
.card{border:0;padding:0;break-inside:auto}
figure,.notes li,tr{break-inside:avoid}
.scroll{overflow:visible}
.grid svg{max-width:100%}
thead{display:table-header-group}
}`;

const styleHash = createHash('sha256').update(styles).digest('base64');

/** Nothing is loaded, run, framed or sent anywhere: the page is its markup and its one style sheet. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};
