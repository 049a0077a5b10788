import type { IRouter } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import { keptForAnHour } from '#server/http/cache-policy.ts';
import { mailLink } from '#shared/mail-and-phone.ts';
import { PAGE_LANGUAGE } from '#shared/page.ts';

/** @see https://www.rfc-editor.org/rfc/rfc9116#section-3 */
export const SECURITY_TXT_PATH = '/.well-known/security.txt';

/** Far enough that no cache shows it expired, and less than the year that the RFC advises. */
const VALID_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Whom to tell of a weakness of the site. It is valid for half a year from the beginning of the day. */
export function securityTxt(
  { publicUrl, office }: Pick<AppConfig, 'publicUrl' | 'office'>,
  now: Date,
): string {
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: ${mailLink(office.email)}`,
    `Expires: ${expires.toISOString()}`,
    `Preferred-Languages: ${PAGE_LANGUAGE}`,
    `Canonical: ${new URL(SECURITY_TXT_PATH, publicUrl).href}`,
    '',
  ].join('\n');
}

/** `GET /.well-known/security.txt`, by this machine's clock also where business dates are moved. */
export function addSecurityTxt(app: IRouter, config: Pick<AppConfig, 'publicUrl' | 'office'>): void {
  app.get(SECURITY_TXT_PATH, (_req, res) => {
    res.type('text/plain').set(keptForAnHour).send(securityTxt(config, new Date()));
  });
}
