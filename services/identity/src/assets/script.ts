/** The script of the pages with passkeys. A form with `data-passkey` runs a ceremony with the server at its action. */
export const SCRIPT = `for (const form of document.querySelectorAll('form[data-passkey]')) {
  const problem = document.querySelector('[data-problem]');
  const send = async (path, body) => {
    const response = await fetch(path, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  };
  const run = async () => {
    const fields = Object.fromEntries(new FormData(form));
    const isNew = form.dataset.passkey === 'create';
    const { ticket, options } = await send(form.action + '/options', fields);
    const publicKey = isNew
      ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
      : PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = isNew
      ? await navigator.credentials.create({ publicKey })
      : await navigator.credentials.get({ publicKey });
    const { location } = await send(form.action, { ...fields, ticket, credential: credential.toJSON() });
    window.location.assign(location);
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (problem) problem.hidden = true;
    run().catch(() => {
      if (problem) { problem.hidden = false; problem.textContent = form.dataset.failed; }
    });
  });
}
`;
