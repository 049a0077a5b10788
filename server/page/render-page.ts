import { PassThrough, type Writable } from 'node:stream';
import { type PageOptions, renderPage } from '#client/entry.server.tsx';

/** The result of a render. */
export interface RenderedPage {
  html: Buffer;
  /** The error of a part without which the page was sent; such a page must not be kept. */
  failure: unknown;
}

/** Called when the page can be sent; the page is written to the returned stream piece by piece. */
export type OpenStream = () => Writable | undefined;

export type RenderPage = (options: PageOptions, open: OpenStream) => Promise<RenderedPage>;

/**
 * Renders the page, to a visitor and to memory at the same time. If the visitor leaves, the render goes on,
 * because others wait for it.
 * @throws {unknown} the error that prevented the page; nothing was sent then
 */
export const renderToMemory: RenderPage = (options, open) =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let failure: unknown;
    const page = renderPage(options, {
      onShellReady() {
        const visitor = open();
        const write = (piece: Buffer): void => {
          pieces.push(piece);
          visitor?.write(piece);
        };
        const whole = new PassThrough();
        whole.on('data', write);
        whole.on('error', reject);
        whole.on('end', () => {
          visitor?.end();
          resolve({ html: Buffer.concat(pieces), failure });
        });
        page.pipe(whole);
      },
      onShellError: reject,
      onError: (error) => {
        failure = error;
      },
    });
  });
