import { PassThrough, type Writable } from 'node:stream';
import { type PageOptions, renderPage } from '#client/entry.server.tsx';

/** What a render made. */
export interface RenderedPage {
  html: Buffer;
  /** What went wrong in a part of the page, which was sent without it; such a page is not to be kept. */
  failure: unknown;
}

/** Called once the page is certain to come; what it gives back is sent the page piece by piece. */
export type OpenStream = () => Writable | undefined;

export type RenderPage = (options: PageOptions, open: OpenStream) => Promise<RenderedPage>;

/**
 * Renders the page, to a visitor and to memory at once. A visitor who leaves does not end it: others wait for it.
 * @throws {unknown} what kept the page from coming about; nothing was sent then
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
