declare module 'virtual:tokens.css';

interface Window {
  /** Browsers without trusted types have none. */
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string };
  };
}
