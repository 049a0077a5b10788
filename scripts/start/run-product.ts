import { join } from 'node:path';
import { type BuildMode, buildWhenStale } from '#scripts/build/build.ts';
import { type Child, startChild } from '#scripts/product/child.ts';
import { nodeProgram } from '#scripts/product/node-program.ts';
import { linePrinter } from './log-lines.ts';
import type { Settings } from './settings.ts';
import { waitForAnswer } from './wait-for-answer.ts';

interface ProductOptions {
  mode: BuildMode;
  settings: Settings;
  env: NodeJS.ProcessEnv;
  onCrash: (sentence: string) => void;
}

/** App and worker, as two processes. */
export interface RunningProduct {
  stop(): Promise<void>;
}

/** Builds the product if need be, and starts its two processes; resolves when both answer. */
export async function runProduct({ mode, settings, env, onCrash }: ProductOptions): Promise<RunningProduct> {
  const { ports, buildFolder } = settings;
  await buildWhenStale(mode, buildFolder);
  const start = (name: string, opsPort: number): Child =>
    startChild({
      name,
      ...nodeProgram(join(buildFolder, `start-${name}.js`), { ...env, OPS_PORT: String(opsPort) }),
      onLine: linePrinter(name),
      onCrash,
    });
  const worker = start('worker', ports.WORKER_OPS_PORT);
  const app = start('app', ports.OPS_PORT);
  await waitForAnswer(`http://127.0.0.1:${ports.WORKER_OPS_PORT}/healthz`, worker);
  await waitForAnswer(`http://127.0.0.1:${ports.OPS_PORT}/healthz`, app);
  return {
    async stop() {
      await app.stop();
      await worker.stop();
    },
  };
}
