import { createHash } from 'node:crypto';
import { tokens } from '@switchboard/design';

/** The percentage of the heat colour in each shade. Skips the range in which neither text colour is readable. */
const SHADES = [5, 12, 19, 26, 34, 42, 50, 88, 100];
const FIRST_DARK_SHADE = 7;
const shades = SHADES.map((share, at) => {
  const text = at >= FIRST_DARK_SHADE ? ';color:var(--on-accent)' : '';
  return `.s${at}{background:color-mix(in srgb,var(--accent) ${share}%,var(--raised))${text}}`;
}).join('\n');

/** The columns of a dashboard, and the most rows of a tile. */
const COLUMNS = 12;
const ROWS = 20;
const upTo = (count: number, rule: (number: number) => string) =>
  Array.from({ length: count }, (_, at) => rule(at + 1)).join('\n');
/** The place of a tile. The style attribute is not allowed by the policy. */
const places = [
  upTo(COLUMNS, (number) => `.x${number - 1}{grid-column-start:${number}}`),
  upTo(COLUMNS, (number) => `.w${number}{grid-column-end:span ${number}}`),
  upTo(ROWS, (number) => `.h${number}{grid-row-end:span ${number}}`),
].join('\n');

/**
 * The only style sheet of the page. The Content-Security-Policy contains its hash, so no other style sheet
 * applies.
 */
export const styles = `
${tokens}
@media print{:root{--surface:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--surface);color:var(--text);font:14px/1.5 var(--sans);overflow-wrap:break-word}
.sheet{max-width:976px;margin:0 auto;padding:32px 24px 48px}
header p{margin:0}
.project{color:var(--text-muted);font-size:14px;font-weight:600;display:flex;align-items:center;gap:10px}
.logo{flex:none}
h1{font-size:28px;line-height:1.2;letter-spacing:-.01em;margin:14px 0 8px}
h2{font-size:16px;margin:0 0 12px}
.facts{color:var(--text-muted);font-size:14px;display:flex;flex-wrap:wrap;gap:4px 20px}
.described{margin:12px 0 0;max-width:70ch;white-space:pre-wrap}
.card{background:var(--raised);border:1px solid var(--line);border-radius:var(--radius);padding:20px;margin:20px 0 0}
figure{margin:20px 0 0}
.headline{list-style:none;display:flex;flex-wrap:wrap;gap:12px 36px;margin:0 0 18px;padding:0}
.headline li{display:grid;min-width:0}
.headline .label{color:var(--text-muted);font-size:14px}
.headline strong{font-size:28px;line-height:1.25;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.totals>.headline{margin:0}
.totals .headline strong{font-size:44px}
.change{color:var(--text-muted);font-size:14px}
.arrow{color:var(--accent)}
.scroll svg{display:block;max-width:100%;height:auto}
.wide svg{width:100%}
.narrow{display:none}
.scroll{overflow-x:auto;background:linear-gradient(90deg,var(--raised) 40%,transparent) 0 0/32px 100% local,linear-gradient(270deg,var(--raised) 40%,transparent) 100% 0/32px 100% local,linear-gradient(90deg,var(--line),transparent) 0 0/12px 100% scroll,linear-gradient(270deg,var(--line),transparent) 100% 0/12px 100% scroll;background-repeat:no-repeat}
.scroll:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.band{fill:var(--warning);opacity:.14}
.rule{stroke:var(--warning);stroke-width:1.5;fill:none}
.badge rect{fill:var(--warning)}
.badge text{fill:var(--surface);font:600 12px var(--sans);text-anchor:middle}
.goal path{stroke:var(--text);stroke-width:1.5;stroke-dasharray:6 4;fill:none}
.goal text{fill:var(--text);font:600 12px var(--sans);text-anchor:end;paint-order:stroke;stroke:var(--raised);stroke-width:3px}
.unit{fill:var(--text-muted);font:12px var(--sans)}
.hit{fill:var(--text);opacity:0}
.hit:hover{opacity:.07}
.path{font-size:12px;fill:var(--text);paint-order:stroke;stroke:var(--raised);stroke-width:3px}
.path.muted{fill:var(--text-muted)}
.paths svg{width:100%;min-width:640px;height:auto}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 14px;padding:0;font-size:14px}
:is(.legend-title,.others){color:var(--text-muted)}
.legend svg{display:inline-block;vertical-align:-1px;margin-right:7px}
.steps{list-style:none;margin:0;padding:0}
.step{display:flex;justify-content:space-between;align-items:baseline;gap:4px 16px;flex-wrap:wrap;margin-bottom:4px}
.amount{font-variant-numeric:tabular-nums;white-space:nowrap}
.bar{display:block;flex:1}
.pie>div{display:flex;flex-wrap:wrap;align-items:center;gap:20px 40px}
.pie>div>svg{flex:none;width:264px;max-width:100%;height:auto}
.pie path,.pie circle{stroke:var(--raised);stroke-width:2}
.pie text{fill:var(--text);font:12px var(--sans);text-anchor:middle}
.slices{list-style:none;flex:1 1 240px;max-width:400px;min-width:0;margin:0;padding:0;font-size:14px}
.slices li{display:grid;grid-template-columns:12px 1fr auto 5em;align-items:center;gap:10px;padding:4px 0}
.slices .legend-title{display:block}
.slices .amount{text-align:right}
.map>svg{display:block;width:100%;height:auto;overflow:visible;margin-bottom:14px}
.map path{stroke-width:.75;vector-effect:non-scaling-stroke}
.map :is(.area,.halo){stroke:var(--raised)}
.map .land{fill:var(--sunken);stroke:var(--line)}
.map :is(.halo,.dot){fill:none;stroke-linecap:round}
.map .halo{stroke-width:9}
.map .dot{stroke-width:7}
.map .area:hover{stroke:var(--text);stroke-width:1.5}
.map .dot:hover{stroke-width:10}
.map .legend{margin:0}
.track{fill:var(--sunken)}
.part{display:grid;grid-template-columns:minmax(4em,9em) 1fr minmax(6em,auto);align-items:center;gap:10px;font-size:14px;margin-top:3px}
.part .amount{text-align:right}
.between{display:flex;flex-wrap:wrap;gap:2px 14px;color:var(--text-muted);font-size:14px;margin:8px 0}
.notes{margin:0;padding:0;list-style:none;font-size:14px}
.notes li{display:grid;grid-template-columns:38px 1fr;padding:6px 0}
.notes li+li{border-top:1px solid var(--line)}
.number{justify-self:start;align-self:start;margin-top:3px;min-width:24px;padding:0 6px;border-radius:99px;background:var(--warning);color:var(--surface);font-size:12px;font-weight:600;text-align:center;line-height:18px}
.days{color:var(--text-muted);font-size:14px}
.tag{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:0 9px;font-size:13px;color:var(--text-muted);margin-right:4px}
.head{display:flex;justify-content:space-between;align-items:baseline;gap:4px 16px;flex-wrap:wrap}
.download{color:var(--accent);font-size:14px;display:inline-block;padding:3px 0}
.grid .download{margin-top:11px}
.folded{position:relative}
.folded .download{position:absolute;top:19px;right:20px}
summary{cursor:pointer;padding-right:10em}
summary h2{display:inline;margin:0}
summary .count{color:var(--text-muted);font-size:14px;margin-left:6px}
details .scroll{margin-top:14px}
table{border-collapse:collapse;width:100%;font-size:14px}
table.values+table{margin-top:22px}
caption{text-align:left;color:var(--text-muted);padding-bottom:8px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);padding:0}
th,td{text-align:left;padding:7px 12px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th,thead td{color:var(--text-muted);font-weight:600;border-bottom-width:2px;vertical-align:bottom}
tbody th{font-weight:500;min-width:7em}
tbody tr:last-child>*{border-bottom:0}
tfoot th,tfoot td{font-weight:700;border-bottom:0;border-top:2px solid var(--line)}
.values :is(thead,tbody,tfoot)>tr>:first-child{position:sticky;left:0;background:var(--raised)}
.value{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
thead .value{white-space:normal}
.heat{border-collapse:separate;border-spacing:3px;width:auto;min-width:100%}
.heat th,.heat td{border:0;padding:7px 9px;vertical-align:middle}
.heat td{text-align:center;min-width:52px;border-radius:4px}
.heat thead th{text-align:center;vertical-align:bottom}
.heat th:first-child{position:sticky;left:0;background:var(--raised);text-align:left;min-width:8.5em;max-width:13em;padding-left:0}
.heat tfoot td{background:none}
.size{display:block;color:var(--text-muted);font-size:12px;font-weight:400;font-variant-numeric:tabular-nums}
${shades}
td table{margin:-7px 0}
.more,.empty{color:var(--text-muted)}
.board{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));column-gap:20px}
.sheet:has(.board){max-width:1440px}
.tile{container-type:inline-size;margin-top:28px;min-width:0}
.tile>h2{margin:0 0 4px}
.tile>.described{margin:0}
.facts p{margin:0}
.tile .card{margin-top:12px}
${places}
@container (max-width:420px){
.map .halo{stroke-width:6.5}
.map .dot{stroke-width:5}
.wide{display:none}
.narrow{display:block}
.headline strong{font-size:20px}
.part{grid-template-columns:1fr auto;gap:2px 10px}
.part .bar{grid-row:2;grid-column:1/3}
}
footer{color:var(--text-muted);font-size:13px;margin-top:24px}
.plain{display:grid;place-content:center;justify-items:center;min-height:100vh;text-align:center;padding:24px}
@media (max-width:900px){
.board{display:block}
}
@media (max-width:640px){
.map .halo{stroke-width:6.5}
.map .dot{stroke-width:5}
.sheet{padding:20px 14px 32px}
h1{font-size:20px}
.card{padding:14px}
.headline strong{font-size:20px}
.wide{display:none}
.narrow{display:block}
.folded .download{top:13px;right:14px}
.part{grid-template-columns:1fr auto;gap:2px 10px}
.part .bar{grid-row:2;grid-column:1/3}
}
@media print{
.wide{display:block}
.narrow,.download{display:none}
.sheet{max-width:none;padding:0}
.card{border:0;padding:0;break-inside:auto}
.notes li,.steps li,tr,.line,.bar{break-inside:avoid}
.scroll{overflow:visible}
.heat td,.heat th{padding:3px 4px;min-width:0}
.heat th:first-child,.values :is(thead,tbody,tfoot)>tr>:first-child{position:static}
details::details-content{content-visibility:visible;block-size:auto}
thead{display:table-header-group}
svg,.heat td,.number{print-color-adjust:exact}
}`;

const styleHash = createHash('sha256').update(styles).digest('base64');

/**
 * Headers that prevent the page from loading, running, framing or sending anything beyond its markup, style
 * sheet and icon.
 */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept-Language, Accept-Encoding',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};
