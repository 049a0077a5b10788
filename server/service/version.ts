import manifest from '#package.json' with { type: 'json' };

/** The version of this release, as CHANGELOG.md tells it. */
export const version: string = manifest.version;
