import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { nodeOptions, prepareProduct } from '#scripts/product/product.ts';
import { brotli } from '#server/http/representation.ts';

/** The product, beside a slow payment sandbox, a mail server, and the server that it is compared with. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Builds the product if need be, and starts it. What it starts ends with `stopChildren`, or with this process. */
export async function setStage(folder: string) {
  await buildWhenStale('production', 'dist');
  const { url: stripeUrl, smtpUrl = '' } = await startBeside('services.ts');
  const product = await prepareProduct({
    folder,
    sandbox: { url: stripeUrl },
    mailServer: { url: smtpUrl },
    env: { ...noLimits, MAIL_PER_SECOND: '1000' },
  });
  await product.start();
  const file = join(folder, 'page.br');
  await writeFile(file, await brotli(Buffer.from(await (await fetch(product.siteUrl)).arrayBuffer())));
  const bare = await startBeside('bare-server.ts', file, stripeUrl);
  return { ...product, stripeUrl, bare };
}

const addressSchema = v.object({ url: v.string(), smtpUrl: v.exactOptional(v.string()) });

/**
 * Starts a program of this folder in a process of its own, so that its work is not measured with ours; it ends with this
 * process. Resolves with its first message, which says where it listens.
 */
async function startBeside(name: string, ...args: readonly string[]) {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = fork(program, args, { execArgv: ['--import', 'tsx', ...nodeOptions] });
  const early = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended`)));
  const [message] = await Promise.race([once(child, 'message'), early]);
  return { ...v.parse(addressSchema, message), pid: child.pid };
}
