import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser } from '@playwright/test';
import * as v from 'valibot';
import type { TestScope } from '#server/testing/clean-up.ts';
import { type OpenOffice, openOffice } from '#server/testing/office-world/open-office.ts';
import { openPage, type PageOptions, type WatchedPage } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const auditSchema = v.object({
  audit: v.string(),
  user: v.string(),
  role: v.string(),
  outcome: v.string(),
  paymentIntent: v.exactOptional(v.string()),
});
export type AuditLine = v.InferOutput<typeof auditSchema>;

/** What the tests of one suite share. */
export interface OfficeRun {
  office: OpenOffice;
  /** Opens the office's pages for somebody who is not signed in, until the test ends. */
  openDoor(t: TestScope, options: PageOptions): Promise<WatchedPage>;
  /** Who did what about a registration, by the log of the app. */
  audited(paymentIntent: string): AuditLine[];
  /** Waits for a letter to an address whose subject matches. */
  untilLetter(to: string, subject: RegExp): Promise<void>;
}

/** Runs the product on the office's day and a browser for all tests of the suite it is called in. */
export function runOffice(): OfficeRun {
  let started: { office: OpenOffice; browser: Browser } | undefined;
  const running = () => {
    if (!started) throw new Error('It is not started before the first test');
    return started;
  };
  before(async () => {
    const [office, browser] = await Promise.all([openOffice(), sharedBrowser()]);
    started = { office, browser };
  });
  after(async () => {
    await started?.office.close();
    assert.deepEqual(started?.office.crashes, []);
  });
  return {
    get office() {
      return running().office;
    },
    async openDoor(t, options) {
      const watched = await openPage(running().browser, options);
      t.after(watched.close);
      await watched.page.goto(running().office.opsUrl);
      return watched;
    },
    audited: (paymentIntent) =>
      running()
        .office.lines.flatMap(auditLine)
        .filter((line) => line.paymentIntent === paymentIntent),
    async untilLetter(to, subject) {
      const { mailServer } = running().office;
      const isThere = () =>
        mailServer.mails.some(
          (mail) => subject.test(mail.subject ?? '') && mail.to?.some(({ address }) => address === to),
        );
      while (!isThere()) await mailServer.nextMail();
    },
  };
}

function auditLine(line: string): AuditLine[] {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), auditSchema), line);
  return read.success ? [read.output] : [];
}
