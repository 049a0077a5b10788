import manifest from '#package.json' with { type: 'json' };

const NAMES = [
  { listed: 'chrome', target: 'chrome', data: 'chrome' },
  { listed: 'edge', target: 'edge', data: 'edge' },
  { listed: 'firefox', target: 'firefox', data: 'firefox' },
  { listed: 'safari', target: 'safari', data: 'safari' },
  { listed: 'ios_saf', target: 'ios', data: 'safari_ios' },
] as const;

/**
 * The oldest browsers in which the site works and looks as it should: `browserslist` in package.json, the one place that
 * names them.
 * @throws {Error} when it contains anything but lines such as `safari >= 16`
 */
export const oldestBrowsers = manifest.browserslist.map((line) => {
  const [, listed, version = ''] = /^(\w+) >= ([\d.]+)$/.exec(line) ?? [];
  const names = NAMES.find((one) => one.listed === listed);
  if (!names) throw new Error(`browserslist in package.json: "${line}" is not a line such as "safari >= 16"`);
  return { name: names.data, target: `${names.target}${version}`, version: Number(version) };
});

/** The same as targets of esbuild, which rewrites younger syntax for them. */
export const browserTargets = oldestBrowsers.map(({ target }) => target);
