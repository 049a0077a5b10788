import type { OnResolveArgs, Plugin } from 'esbuild';
import { onImport } from './on-import.ts';

/**
 * Gives redux-form a copy of React Redux for itself: it alone needs `connect`, which would load with the application
 * otherwise. Copies share the store, whose context React Redux keeps in one place on the page for this.
 */
export const ownConnect: Plugin = {
  name: 'own-connect',
  setup(build) {
    const inReduxForm = {
      filter: /^react-redux$/,
      which: ({ importer }: OnResolveArgs) => importer.includes('/node_modules/redux-form/'),
    };
    onImport(build, inReduxForm, (found) => ({ ...found, suffix: '?with-connect' }));
  },
};
