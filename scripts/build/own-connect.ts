import type { Plugin } from 'esbuild';

/**
 * Gives redux-form a copy of React Redux for itself: it alone needs `connect`, which would load with the application
 * otherwise. Copies share the store, whose context React Redux keeps in one place on the page for this.
 */
export const ownConnect: Plugin = {
  name: 'own-connect',
  setup(build) {
    build.onResolve({ filter: /^react-redux$/ }, async ({ importer, kind, path, resolveDir }) => {
      if (!importer.includes('/node_modules/redux-form/')) return undefined;
      const found = await build.resolve(path, { kind, resolveDir });
      return { ...found, suffix: '?with-connect' };
    });
  },
};
