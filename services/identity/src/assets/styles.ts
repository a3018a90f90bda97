import { tokens } from '@switchboard/design';

/** The style sheet of every page. */
export const STYLES = `${tokens}
*{box-sizing:border-box}
body{margin:0;background:var(--surface);color:var(--text);font:14px/1.5 var(--sans);overflow-wrap:anywhere}
main{max-width:400px;margin:0 auto;padding:48px 16px}
.wide main{max-width:640px}
.brand{display:flex;align-items:center;gap:8px;font-size:16px;font-weight:600;margin:0 0 24px}
.card{background:var(--raised);border:1px solid var(--line);border-radius:var(--radius);padding:24px;margin:0 0 16px}
h1{font-size:20px;line-height:1.3;margin:0 0 16px;font-weight:600}
h2{font-size:16px;line-height:1.3;margin:0 0 12px;font-weight:600}
p{margin:0 0 16px}
.card>:last-child,form>:last-child{margin-bottom:0}
.muted{color:var(--text-muted)}
label{display:block;font-weight:500;margin:0 0 16px}
input,select{display:block;width:100%;height:36px;margin-top:4px;padding:0 12px;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--text-muted);border-radius:var(--radius)}
button{display:inline-block;min-height:36px;padding:0 16px;font:inherit;font-weight:500;border:1px solid var(--line);border-radius:var(--radius);background:var(--raised);color:var(--text);cursor:pointer}
a.button{display:block;padding:7px 16px;font-weight:500;text-align:center;text-decoration:none;border:1px solid var(--line);border-radius:var(--radius);color:var(--text)}
:is(button,a.button).primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.full button{width:100%}
:is(a,button,input,select):focus-visible{outline:3px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
.problem{border:1px solid var(--danger);color:var(--danger);border-radius:var(--radius);padding:8px 12px}
.problem[hidden]{display:none}
.or{text-align:center;color:var(--text-muted);margin:12px 0}
ul{list-style:none;margin:0 0 16px;padding:0}
li{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:4px 16px;padding:8px 0;border-bottom:1px solid var(--line)}
li form,li p{margin:0}
code{font:14px var(--mono)}
.codes{columns:200px 2}
.codes li{display:block;border:0;padding:2px 0}
.key{display:block;background:var(--sunken);padding:12px;border-radius:var(--radius);margin:0 0 16px}
.row{display:flex;flex-wrap:wrap;gap:8px}
form+p{margin-top:16px}
h2{border-top:1px solid var(--line);padding-top:16px;margin-top:24px}
li button{min-height:28px;padding:0 12px}
.qr{display:block;background:#fff}
@media (pointer:coarse){button,input,select,li button,a.button{min-height:44px}a.button{padding:11px 16px}}`;
