/** The built SDKs, before the URL that serves them is known. */
export interface BuiltSdks {
  /** The code by file name. The name contains a hash of the content. */
  scripts: Record<string, string>;
  /** The file name of each script that has a name without a hash, such as `browser.js`. */
  names: Record<string, string>;
  /** The text of each file by path, by package name. A dependency on another of the packages is `workspace:^`. */
  packages: Record<string, Record<string, string>>;
}

/** Returns the name under which a package is served: `browser` for `@switchboard/browser`. */
export const shortName = (name: string) => name.replace(/^@.+\//, '');
