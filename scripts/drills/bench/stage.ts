import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { startChild } from '#scripts/product/child.ts';
import { noLimits, sandboxKeys } from '#scripts/product/environment.ts';
import { nodeOptions } from '#scripts/product/node-program.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';

/** The product, beside a slow payment sandbox, a mail server, and the server that it is compared with. */
export interface Stage extends Product {
  stripeUrl: string;
  bare: { url: string; pid: number | undefined };
}

export const BROTLI = { 'Accept-Encoding': 'br, identity;q=0' };

/** Builds the product if need be, and starts it. What it starts ends with `stopChildren`. */
export async function setStage(folder: string): Promise<Stage> {
  await buildWhenStale('production', 'dist');
  const { stripeUrl = '', smtpUrl = '' } = (await startBeside('services.ts')).printed;
  const product = await prepareProduct({
    build: 'dist',
    redisFolder: join(folder, 'redis'),
    stripeUrl,
    smtpUrl,
    env: { ...noLimits, MAIL_PER_SECOND: '1000' },
  });
  for (const service of [product.redis, product.worker, product.app]) await service.start();
  const file = join(folder, 'page.br');
  await writeFile(file, await readPage(product.siteUrl));
  const { printed, pid } = await startBeside('bare-server.ts', file, stripeUrl);
  return { ...product, stripeUrl, bare: { url: printed.url ?? '', pid } };
}

const printedSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/** Starts a program of this folder; resolves with what it prints when it listens. */
async function startBeside(program: string, ...args: readonly string[]) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  let pid: number | undefined;
  const line = await new Promise<string>((resolve) => {
    const child = startChild({
      name: program,
      command: process.execPath,
      args: [...nodeOptions, '--import', 'tsx', path, ...args],
      env: { ...process.env, ...sandboxKeys },
      onLine: resolve,
    });
    child.ended.then(resolve);
    pid = child.pid;
  });
  return { printed: v.parse(printedSchema, line), pid };
}

/** The page's brotli bytes as they travel. */
function readPage(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: BROTLI }, async (answer) => resolve(Buffer.concat(await answer.toArray()))).on(
      'error',
      reject,
    );
  });
}
