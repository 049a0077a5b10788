import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { OpenOffice } from '#server/testing/office-world/open-office.ts';
import { openPage, type PageOptions, type WatchedPage } from './browser.ts';
import { test as base } from './test.ts';

const auditSchema = v.object({
  audit: v.string(),
  user: v.string(),
  role: v.string(),
  outcome: v.string(),
  paymentIntent: v.exactOptional(v.string()),
});
type AuditLine = v.InferOutput<typeof auditSchema>;

/** The office on its day, and what a test does and sees there. */
export interface Office extends OpenOffice {
  /** Opens the office's pages for somebody who is not signed in, until the test ends. */
  openDoor(options: PageOptions): Promise<WatchedPage>;
  /** Who did what about a registration, by the log of the app. */
  audited(paymentIntent: string): AuditLine[];
  /** Waits for a letter to an address whose subject matches. */
  untilLetter(to: string, subject: RegExp): Promise<void>;
}

interface TestFixtures {
  office: Office;
}

interface WorkerFixtures {
  openOffice: OpenOffice;
}

/** `test` with the product on the office's day. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  openOffice: [
    async ({ workerScope }, use) => {
      // Imported here, because it brings most of the server, which nothing needs that only lists tests.
      const { openOffice } = await import('#server/testing/office-world/open-office.ts');
      const office = await openOffice();
      workerScope.after(async () => {
        await office.close();
        assert.deepEqual(office.crashes, []);
      });
      await use(office);
    },
    { scope: 'worker' },
  ],
  office: async ({ openOffice, browser, scope }, use) => {
    await use({
      ...openOffice,
      async openDoor(options) {
        const watched = await openPage(browser, options);
        scope.after(watched.close);
        await watched.page.goto(openOffice.opsUrl);
        return watched;
      },
      audited: (paymentIntent) =>
        openOffice.lines.flatMap(auditLine).filter((line) => line.paymentIntent === paymentIntent),
      async untilLetter(to, subject) {
        const { mailServer } = openOffice;
        const isThere = () =>
          mailServer.parsed.some(
            (mail) => subject.test(mail.subject ?? '') && mail.to?.some(({ address }) => address === to),
          );
        while (!isThere()) await mailServer.nextMail();
      },
    });
  },
});

function auditLine(line: string): AuditLine[] {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), auditSchema), line);
  return read.success ? [read.output] : [];
}
