import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

let bundle: Promise<string> | undefined;

/** The script for the page, built from `browser/` once for each process. */
export function bundleBrowserScript(): Promise<string> {
  bundle ??= buildBundle();
  return bundle;
}

async function buildBundle(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('./browser/stripe.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
  });
  return result.outputFiles[0]?.text ?? '';
}
