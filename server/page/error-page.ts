import { renderErrorDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import type { RenderErrorPage } from '#server/http/app-error.ts';
import type { Assets } from './assets.ts';

const NOT_FOUND = 404;
const FAILED = 500;

/**
 * The error pages for people, rendered once at start, so that rendering cannot fail later. Refused requests
 * show the page for a URL that does not exist.
 */
export function createErrorPages(
  { office, pixel }: Pick<AppConfig, 'office' | 'pixel'>,
  { plainStyle }: Assets,
): RenderErrorPage {
  const shown = { styles: [plainStyle], office, isMeasured: pixel !== undefined };
  const render = (status: number): string => renderErrorDocument({ status, ...shown });
  const [notFound, failed] = [render(NOT_FOUND), render(FAILED)];
  return (status) => (status < FAILED ? notFound : failed);
}
