import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { startSideProcess } from '#scripts/drills/side-process.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { nodeOptions } from '#scripts/product/node-program.ts';
import { type Product, prepareProduct } from '#scripts/product/product.ts';

/** The product, beside a slow payment sandbox, a mail server, and the server that it is compared with. */
export interface Stage extends Product {
  stripeUrl: string;
  bare: { url: string; pid: number | undefined };
}

export const BROTLI = { 'Accept-Encoding': 'br, identity;q=0' };

/** Builds the product if need be, and starts it. What it starts ends with `stopChildren`, or with this process. */
export async function setStage(folder: string): Promise<Stage> {
  await buildWhenStale('production', 'dist');
  const programOf = (name: string) => new URL(name, import.meta.url);
  const { url: stripeUrl, smtpUrl = '' } = await startSideProcess(programOf('services.ts'), nodeOptions);
  const product = await prepareProduct({
    ...{ folder, sandbox: { url: stripeUrl }, mailServer: { url: smtpUrl } },
    env: { ...noLimits, MAIL_PER_SECOND: '1000' },
  });
  await product.start();
  const file = join(folder, 'page.br');
  await writeFile(file, await readPage(product.siteUrl));
  const bare = await startSideProcess(programOf('bare-server.ts'), nodeOptions, [file, stripeUrl]);
  return { ...product, stripeUrl, bare };
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
