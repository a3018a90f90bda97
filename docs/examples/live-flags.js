// Follows a project's flags. You provide baseUrl, projectKey and evaluate(snapshot).
let snapshot = await read();
connect();

async function read() {
  const headers = { Authorization: `Bearer ${projectKey}` };
  // no-cache: ask whether it has changed, whatever its age.
  const answer = await fetch(`${baseUrl}/v1/flags/snapshot`, { headers, cache: 'no-cache' });
  if (!answer.ok) throw new Error(`the snapshot request got status ${answer.status}`);
  return answer.json();
}

function connect(failures = 0) {
  const socket = new WebSocket(`${snapshot.socketUrl}?api_key=${projectKey}`);
  let told = snapshot.generatedAt;
  let silence;
  const hear = () => {
    clearTimeout(silence);
    // The server sends a beat every 30 s. A dead connection may look open.
    silence = setTimeout(() => {
      socket.onclose = socket.onmessage = null;
      socket.close();
      connect(failures + 1);
    }, 75_000);
  };
  hear();
  socket.onmessage = async ({ data }) => {
    failures = 0;
    hear();
    const { generatedAt } = JSON.parse(data);
    if (generatedAt === undefined) return;
    told = generatedAt;
    // A cache on the way may be a moment behind what was told.
    while (snapshot.generatedAt < told) {
      snapshot = await read().catch(() => snapshot);
      if (snapshot.generatedAt < told) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    evaluate(snapshot);
  };
  socket.onclose = ({ code }) => {
    clearTimeout(silence);
    if (code === 4401 || code === 4403) return; // the key is not good, and will not become so
    const wait = Math.min(30_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
    setTimeout(connect, wait, failures + 1);
  };
}
