import type { Plugin } from 'esbuild';

const NAMESPACE = 'unwrapped-http';

/**
 * Gives who imports Node's HTTP module the object that it is. For an import Node wraps it with all its names and reads
 * each of them; since Node 22 one is `WebSocket`, for which it loads its whole HTTP client: 3 MB and a part of the start.
 * @see https://nodejs.org/docs/latest-v24.x/api/process.html#processgetbuiltinmoduleid
 */
export const unwrappedHttp: Plugin = {
  name: 'unwrapped-http',
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? undefined : { path: 'node:http', namespace: NAMESPACE },
    );
    build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};
