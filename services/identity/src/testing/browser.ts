/** A browser without scripts: cookies by path, one page, its forms and redirects. */
export interface TestBrowser {
  status: number;
  url: string;
  html: string;
  headers: Headers;
  cookies: Map<string, { value: string; path: string }>;
  /** Whether redirects within the origin are followed. */
  follows: boolean;
  /** Opens an address and follows redirects within the origin. */
  open(url: string): Promise<void>;
  /** Submits the first form of the page with `action` in its address. */
  submit(fields?: Record<string, string>, action?: string): Promise<void>;
  /** Sends a request with the cookies of the browser, and follows redirects within the origin. */
  send(url: string, init: RequestInit): Promise<void>;
}

export function createBrowser(origin: string): TestBrowser {
  const browser: TestBrowser = {
    status: 0,
    url: '',
    html: '',
    headers: new Headers(),
    cookies: new Map(),
    follows: true,
    open: (url) => browser.send(url, {}),

    async submit(fields = {}, action = '') {
      const forms = [...browser.html.matchAll(/<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)];
      const form = forms.find((one) => one[1]?.includes(action));
      if (form === undefined) throw new Error(`no form ${action} on ${browser.url}: ${browser.html}`);
      const inputs = [...(form[2] ?? '').matchAll(/<input[^>]*>/g)].map(([tag]) => ({
        name: /name="([^"]*)"/.exec(tag)?.[1] ?? '',
        value: /value="([^"]*)"/.exec(tag)?.[1] ?? '',
      }));
      const body = new URLSearchParams(inputs.map(({ name, value }): [string, string] => [name, value]));
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      await browser.send(new URL(form[1] ?? '', browser.url).href, {
        method: 'POST',
        body,
        headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
      });
    },

    async send(url, init) {
      const { pathname } = new URL(url);
      const sent = [...browser.cookies].filter(([, { path }]) => pathname.startsWith(path));
      const headers = new Headers(init.headers);
      if (sent.length > 0)
        headers.set('Cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; '));
      headers.set('Accept', 'text/html');
      if (!headers.has('Sec-Fetch-Site')) headers.set('Sec-Fetch-Site', 'same-origin');
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        const path = /path=([^;]+)/i.exec(line)?.[1] ?? '/';
        if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) browser.cookies.delete(name);
        else browser.cookies.set(name, { value, path });
      }
      const location = response.headers.get('location');
      const next = location === null ? undefined : new URL(location, url);
      browser.html = await response.text();
      Object.assign(browser, { status: response.status, url: next?.href ?? url, headers: response.headers });
      if (next?.origin === origin && browser.follows) await browser.open(next.href);
    },
  };
  return browser;
}
