/** The widget's style sheet. The script constructs it, so that a content security policy needs no exception. */
export const STYLES = `
:host { all: initial; }
.root {
  position: fixed;
  z-index: var(--switchboard-z-index, 2147482000);
  inset: auto var(--right) var(--bottom) auto;
  --right: calc(var(--x) + var(--switchboard-inset-x, 0px));
  --bottom: calc(var(--y) + var(--switchboard-inset-y, 0px) + env(safe-area-inset-bottom, 0px));
  --launcher: 56px;
  font: 15px/1.45 var(--switchboard-font, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif);
  color: var(--ink);
  color-scheme: light;
  text-align: start;
  -webkit-font-smoothing: antialiased;
  -webkit-tap-highlight-color: transparent;
}
.root[data-scheme=dark] { color-scheme: dark; }
.root[data-side=left] { inset: auto auto var(--bottom) var(--right); }
.root[data-size=small] { --launcher: 44px; }
.root[data-size=large] { --launcher: 68px; }
.root[data-launcher=false] { --launcher: -16px; }
*, ::before, ::after { box-sizing: border-box; }
h2, h3, p, ul { margin: 0; padding: 0; font: inherit; }
ul { list-style: none; }
button, textarea { font: inherit; color: inherit; letter-spacing: inherit; margin: 0; }
button { padding: 0; border: 0; background: none; text-align: inherit; cursor: pointer; }
button:disabled { cursor: default; }
a { color: inherit; text-underline-offset: 2px; }
[hidden] { display: none; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--accent-edge); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.icon { width: 22px; height: 22px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
[dir=rtl] .turning { transform: scaleX(-1); }

.launcher {
  position: relative;
  display: flex;
  align-items: center;
  justify-content: center;
  gap: 8px;
  min-width: var(--launcher);
  height: var(--launcher);
  border-radius: 999px;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  box-shadow: 0 1px 2px rgb(10 14 30 / 16%), 0 8px 24px rgb(10 14 30 / 22%);
  transition: transform .18s cubic-bezier(.3, 1.4, .6, 1), box-shadow .18s;
}
.launcher:hover { transform: translateY(-2px); box-shadow: 0 2px 4px rgb(10 14 30 / 16%), 0 12px 30px rgb(10 14 30 / 26%); }
.launcher:active { transform: scale(.95); }
.launcher:focus-visible { outline-offset: 3px; }
.launcher .icon { width: calc(var(--launcher) * .47); height: calc(var(--launcher) * .47); }
.launcher[data-content=text], .launcher[data-content=both], .launcher[data-content=avatars] { padding-inline: calc(var(--launcher) * .36); }
.launcher[data-content=both] { padding-inline-start: calc(var(--launcher) * .28); }
.launcher[data-content=avatars] { padding-inline: calc(var(--launcher) * .14); }
.launcher[data-content=avatars] .avatar { width: calc(var(--launcher) * .68); height: calc(var(--launcher) * .68); box-shadow: 0 0 0 2px var(--accent); }
.launcher[data-shape=rounded] { border-radius: calc(var(--launcher) * .3); }
.launcher[data-shape=square] { border-radius: 4px; }
.launcher[data-shape=pill] { min-width: calc(var(--launcher) * 1.5); }
.launcher[data-fill=gradient] { background: linear-gradient(145deg, var(--accent), var(--accent-deep)); }
.launcher[data-fill=soft] { background: var(--accent-soft); color: var(--on-soft); }
.launcher[data-fill=outline] { background: var(--surface); color: var(--accent-text); box-shadow: inset 0 0 0 2px var(--accent-edge), 0 8px 24px rgb(10 14 30 / 16%); }
.launcher > .badge { position: absolute; inset: -4px -4px auto auto; box-shadow: 0 0 0 2px var(--surface); }
.badge { display: inline-flex; align-items: center; justify-content: center; min-width: 20px; height: 20px; padding: 0 6px; border-radius: 10px; background: #c8242c; color: #fff; font-size: 12px; font-weight: 650; line-height: 1; font-variant-numeric: tabular-nums; }

.panel {
  position: fixed;
  inset: auto var(--right) calc(var(--bottom) + var(--launcher) + 16px) auto;
  display: flex;
  flex-direction: column;
  width: min(392px, calc(100vw - 32px));
  height: min(690px, calc(100vh - var(--bottom) - var(--launcher) - 40px));
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: 20px;
  background: var(--surface);
  box-shadow: 0 2px 6px rgb(10 14 30 / 8%), 0 24px 64px rgb(10 14 30 / 24%);
  animation: rise .22s cubic-bezier(.2, .9, .3, 1);
  transform-origin: bottom right;
}
[data-side=left] .panel { inset: auto auto calc(var(--bottom) + var(--launcher) + 16px) var(--right); transform-origin: bottom left; }
[data-scheme=dark] .panel { box-shadow: 0 24px 64px rgb(0 0 0 / 55%); }
@keyframes rise { from { opacity: 0; transform: translateY(12px) scale(.97); } }
.panel:focus { outline: none; }
.view { position: relative; display: flex; flex-direction: column; flex: 1; min-height: 0; }
.round { display: grid; place-items: center; flex: none; width: 40px; height: 40px; border-radius: 50%; color: var(--quiet); transition: background .12s, color .12s; }
.round:hover:not(:disabled) { background: var(--sunken); color: var(--ink); }
.round.small { width: 28px; height: 28px; }
.round.small .icon { width: 17px; height: 17px; }

.avatar { position: relative; display: inline-grid; place-items: center; flex: none; width: 36px; height: 36px; overflow: hidden; border-radius: 50%; background: var(--sunken); }
.avatar img { width: 100%; height: 100%; object-fit: cover; }
.initials { background: var(--tone); color: var(--on-tone); font-size: 13px; font-weight: 650; letter-spacing: .02em; }
.initials .icon { width: 58%; height: 58%; }
.team { display: inline-flex; flex: none; }
.team .avatar { box-shadow: 0 0 0 2px var(--around, var(--surface)); }
.team .avatar + .avatar { margin-inline-start: -8px; }
.team .avatar:nth-child(1) { z-index: 3; }
.team .avatar:nth-child(2) { z-index: 2; }
.head .team .avatar + .avatar { margin-inline-start: -13px; }

.head { display: flex; align-items: center; gap: 8px; padding: 12px 10px; border-bottom: 1px solid var(--line); }
.head .avatar { width: 32px; height: 32px; font-size: 11.5px; }
.who { flex: 1; min-width: 0; }
.who h2, .title { font-weight: 620; }
.who h2 { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.3; }
.presence { color: var(--quiet); font-size: 13px; line-height: 1.35; }
.presence::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-inline-end: 6px; border-radius: 50%; background: var(--edge); }
.presence.here::before { background: var(--good); }
.notice { padding: 9px 18px; border-bottom: 1px solid var(--line); background: var(--sunken); font-size: 13.5px; white-space: pre-line; overflow-wrap: anywhere; }

.scroll, .log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; scrollbar-width: thin; scrollbar-color: var(--edge) transparent; }
.scroll:focus-visible, .log:focus-visible { outline-offset: -3px; }
.corner { position: absolute; z-index: 1; inset: 12px 10px auto auto; background: color-mix(in srgb, var(--surface) 60%, transparent); }
[dir=rtl] .corner { inset: 12px auto auto 10px; }
.hero { --around: var(--accent-soft); padding: 30px 24px 54px; background: linear-gradient(var(--accent-soft), var(--surface)); }
.hero .avatar { width: 44px; height: 44px; font-size: 15px; }
.hero h2 { margin: 18px 0 8px; font-size: 26px; font-weight: 680; line-height: 1.18; letter-spacing: -.018em; text-wrap: balance; overflow-wrap: anywhere; white-space: pre-line; }
.hero .presence { color: var(--ink); }
.hero ~ .notice { margin: -34px 16px 46px; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
.write { display: flex; align-items: center; justify-content: space-between; width: calc(100% - 32px); margin: -32px 16px 14px; padding: 14px 18px; border-radius: 14px; background: var(--accent); color: var(--on-accent); font-weight: 620; box-shadow: 0 6px 18px rgb(10 14 30 / 14%); transition: filter .12s; }
.write:hover { filter: brightness(1.07); }
.write .icon { rotate: 90deg; }
[dir=rtl] .write .icon { rotate: -90deg; }
.prompts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; padding: 0 16px 8px; }
.prompt { display: flex; align-items: center; gap: 10px; width: 100%; min-height: 44px; padding: 9px 12px 9px 16px; border: 1px solid var(--line); border-radius: 13px; background: var(--surface); transition: border-color .12s, background .12s; }
[dir=rtl] .prompt { padding: 9px 16px 9px 12px; }
button.prompt:hover { border-color: var(--accent-edge); background: var(--sunken); }
.prompt > .icon { width: 17px; height: 17px; color: var(--quiet); }
.prompt .round { margin: -4px -6px; }
.prompt a { color: var(--accent-text); }
.words { display: flex; flex-direction: column; flex: 1; min-width: 0; overflow-wrap: anywhere; white-space: pre-line; }
.prompt .words { display: block; }
code { padding: 1px 4px; border-radius: 4px; background: var(--sunken); font: .92em ui-monospace, Menlo, Consolas, monospace; }
section h3 { padding: 14px 24px 6px; color: var(--quiet); font-size: 13px; font-weight: 620; }
.list { padding: 0 8px 8px; }
.item { display: flex; align-items: center; gap: 12px; width: 100%; padding: 10px 16px; border-radius: 12px; transition: background .12s; }
.item:hover { background: var(--sunken); }
.item .title, .preview { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.preview { color: var(--quiet); font-size: 14px; }
.new .preview { color: var(--ink); }
.aside { display: flex; flex-direction: column; gap: 4px; align-items: flex-end; flex: none; color: var(--quiet); font-size: 12.5px; }
.message { padding: 22px 24px 28px; }
.message h2 { font-size: 21px; font-weight: 660; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere; }
.message time { display: block; margin: 6px 0 16px; color: var(--quiet); font-size: 13px; }

.log { padding: 14px 16px 10px; }
.log .notice { width: fit-content; max-width: 86%; margin: 16px auto 6px; padding: 8px 16px; border: 0; border-radius: 14px; color: var(--quiet); font-size: 13px; text-align: center; text-wrap: balance; }
.day, .system { margin: 14px 0 10px; color: var(--quiet); font-size: 12.5px; text-align: center; overflow-wrap: anywhere; }
.day { display: flex; align-items: center; gap: 12px; font-weight: 600; }
.day::before, .day::after { content: ""; flex: 1; height: 1px; background: var(--line); }
.turn { display: flex; flex-direction: column; align-items: flex-start; margin-top: 3px; }
.turn.first { margin-top: 12px; }
.mine { align-items: flex-end; }
.line { display: flex; align-items: flex-end; gap: 8px; max-width: 86%; min-width: 0; }
.mine .line { flex-direction: row-reverse; }
.beside { flex: none; width: 28px; }
.beside .avatar { display: grid; width: 28px; height: 28px; font-size: 10.5px; }
.theirs > .name, .theirs > .stamp { margin-inline-start: 4px; }
.theirs:has(.beside) > .name, .theirs:has(.beside) > .stamp { margin-inline-start: 40px; }
.name { margin-bottom: 3px; color: var(--quiet); font-size: 12.5px; font-weight: 600; }
.bubble > .name { display: block; color: var(--accent-text); }
.line ~ .name { margin: 3px 0 0; }
.stamp { margin-top: 3px; color: var(--quiet); font-size: 12px; font-variant-numeric: tabular-nums; }
.line > .stamp { flex: none; margin: 0 0 3px; }
.turn > .stamp:not(.line ~ .stamp) { margin-block: 0 3px; }
.mine > .stamp { margin-inline-end: 4px; }
.bubble > .stamp { display: block; margin-top: 2px; color: inherit; font-size: 11.5px; text-align: end; }
.stamp .link { margin-inline-start: 8px; }
.wrong, .problem { color: var(--wrong); }
.bubble { min-width: 0; padding: 9px 14px; border-radius: 20px; background: var(--sunken); color: var(--ink); }
.bubble .body { white-space: pre-wrap; }
.body { overflow-wrap: anywhere; white-space: pre-line; }
.bubble[data-shape=rounded] { border-radius: 11px; }
.bubble[data-shape=square] { border-radius: 3px; }
.bubble[data-shape=tail] { border-radius: 18px; }
.last .bubble[data-shape=tail] { border-end-start-radius: 4px; }
.mine.last .bubble[data-shape=tail] { border-end-start-radius: 18px; border-end-end-radius: 4px; }
.mine .bubble { background: var(--accent); color: var(--on-accent); }
.mine .bubble[data-fill=gradient] { background: linear-gradient(160deg, var(--accent), var(--accent-deep)); }
.mine .bubble[data-fill=soft] { background: var(--accent-soft); color: var(--on-soft); }
.bubble[data-fill=outline] { border: 1px solid var(--line); background: var(--surface); }
.mine .bubble[data-fill=outline] { border-color: var(--accent-edge); background: var(--surface); color: var(--ink); }
.bubble.waiting .body, .bubble.waiting .file-name { opacity: .82; }
.link { padding: 2px; color: var(--accent-text); font-weight: 600; text-decoration: underline; text-underline-offset: 2px; }
.wrong .link { color: inherit; }
.earlier { display: block; margin: 0 auto 8px; font-size: 13.5px; }

.picture { display: block; overflow: hidden; max-width: 100%; margin: 6px -6px 0; border-radius: 12px; background: var(--sunken); }
.bubble > .picture:first-child, .hidden + .picture { margin-top: -1px; }
.picture:last-child { margin-bottom: -1px; }
.picture.loading { width: 200px; height: 130px; }
.canvas, .canvas canvas { display: block; max-width: 100%; }
.picture canvas { max-height: 240px; min-width: 48px; object-fit: cover; }
.file { display: flex; align-items: center; gap: 10px; max-width: 100%; margin-top: 6px; padding: 4px 2px; border-radius: 8px; }
.file > .icon { width: 18px; height: 18px; }
.file-icon { display: grid; place-items: center; flex: none; width: 38px; height: 38px; border-radius: 10px; background: rgb(128 134 148 / 18%); }
.file-name { display: flex; flex-direction: column; min-width: 0; font-size: 14px; line-height: 1.3; }
.file-name bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.file-name small { font-size: 12px; }

.view > .prompts { justify-items: end; padding-bottom: 10px; }
.view > .prompts .prompt { width: auto; min-height: 40px; padding-block: 7px; border-color: var(--accent-edge); color: var(--accent-text); }
.view > .prompts li { max-width: 100%; }
.typing { display: flex; align-items: center; gap: 8px; padding: 0 20px; color: var(--quiet); font-size: 12.5px; overflow-wrap: anywhere; }
.dots { display: flex; flex: none; gap: 3px; }
.dots i { width: 6px; height: 6px; border-radius: 50%; background: var(--quiet); animation: dot 1.2s infinite; }
.dots i:nth-child(2) { animation-delay: .15s; }
.dots i:nth-child(3) { animation-delay: .3s; }
@keyframes dot { 0%, 60%, 100% { opacity: .35; } 30% { opacity: 1; } }
.foot { padding: 8px 12px 12px; }
.problem { padding: 2px 8px 8px; font-size: 13.5px; }
.composer { border: 1px solid var(--edge); border-radius: 25px; background: var(--surface); transition: border-color .12s, box-shadow .12s; }
.composer:focus-within { border-color: var(--accent-edge); box-shadow: 0 0 0 1px var(--accent-edge); }
.composer[data-shape=rounded] { border-radius: 13px; }
.composer[data-shape=square] { border-radius: 3px; }
.composer[data-shape=line] { border-width: 1px 0 0; border-radius: 0; margin: -8px -12px -4px; padding: 4px 8px 0; border-color: var(--line); }
.composer[data-shape=line]:focus-within { border-color: var(--accent-edge); box-shadow: 0 -1px 0 var(--accent-edge); }
.row { display: flex; align-items: flex-end; gap: 2px; padding: 4px; }
textarea { flex: 1; min-width: 0; height: 40px; padding: 9px 8px; border: 0; background: none; resize: none; line-height: 22px; scrollbar-width: thin; }
textarea:first-child, [hidden] + textarea { padding-inline-start: 14px; }
textarea:focus-visible { outline: none; }
textarea::placeholder { color: var(--quiet); opacity: 1; }
.send { background: var(--accent); color: var(--on-accent); }
.send:hover:not(:disabled) { background: var(--accent-deep); color: var(--on-accent); }
.send:disabled { background: var(--sunken); color: var(--quiet); }
.composer[data-shape=rounded] .send { border-radius: 9px; }
.composer[data-shape=square] .send { border-radius: 2px; }
.over { position: absolute; z-index: 2; inset: 8px; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 10px; border: 2px dashed var(--accent-edge); border-radius: 14px; background: var(--surface); opacity: .95; font-weight: 620; pointer-events: none; }

[data-skin=bold] .head, [data-skin=bold] .hero { --around: var(--accent); border: 0; background: linear-gradient(160deg, var(--accent), var(--accent-deep)); color: var(--on-accent); }
[data-skin=bold] .head .presence, [data-skin=bold] .hero .presence, [data-skin=bold] .head .round, [data-skin=bold] .corner { color: var(--on-accent); }
[data-skin=bold] .corner { background: var(--accent); }
[data-skin=bold] .head .round:hover, [data-skin=bold] .corner:hover { background: var(--accent-deep); color: var(--on-accent); }
[data-skin=bold] :is(.head, .hero) .presence::before { box-shadow: 0 0 0 2px var(--on-accent); }
[data-skin=bold] :is(.head, .corner) :focus-visible, [data-skin=bold] .corner:focus-visible { outline-color: var(--on-accent); }
[data-skin=bold] .write { border: 1px solid var(--line); background: var(--surface); color: var(--accent-text); }
[data-skin=soft] .composer, [data-skin=soft] .prompt { background: color-mix(in srgb, var(--surface), white 30%); }
[data-skin=soft][data-scheme=dark] :is(.composer, .prompt) { background: var(--surface); }

@media (max-width: 480px), (max-height: 480px) {
  .panel, [data-side=left] .panel { inset: 0; width: auto; height: auto; border: 0; border-radius: 0; padding: env(safe-area-inset-top, 0) 0 env(safe-area-inset-bottom, 0); }
  .panel ~ .launcher { display: none; }
  textarea { font-size: 16px; }
}
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; } }
@media (forced-colors: active) {
  .launcher, .bubble, .round, .avatar, .badge, .write { border: 1px solid ButtonBorder; }
  .icon { stroke: ButtonText; }
}
`;
