import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fleet } from './stage.ts';

const EVERY_MS = 500;

/** The status of a page that failed; 0 means no answer. */
export interface PageFailure {
  atMs: number;
  status: number;
}

/** Somebody of the office who signed in once and goes on looking at the list. */
export interface Staff {
  /** Stops; returns how many pages she saw, and the failures that she saw instead of pages. */
  end(): Promise<{ pages: number; failures: readonly PageFailure[] }>;
}

/** Signs in through the proxy, and opens the list twice a second, whichever app answers. */
export async function startStaff({ siteUrl, officeName }: Fleet): Promise<Staff> {
  const port = Number(new URL(siteUrl).port);
  const failures: PageFailure[] = [];
  const over = new AbortController();
  let pages = 0;
  const ask = (path: string, headers: Record<string, string>, form?: string) =>
    new Promise<{ status: number; cookie: string }>((resolve, reject) => {
      const method = form === undefined ? 'GET' : 'POST';
      request({ port, path, method, headers: { Host: officeName, ...headers } }, (answer) => {
        const cookie = (answer.headers['set-cookie'] ?? []).map((set) => set.split(';')[0]).join('; ');
        answer.resume().once('end', () => resolve({ status: answer.statusCode ?? 0, cookie }));
      })
        .once('error', reject)
        .end(form);
    });
  const signedIn = await ask(
    '/office/sign-in',
    { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
    'name=office&password=office',
  );
  if (signedIn.status !== 303) throw new Error(`The sign-in was answered with ${signedIn.status}`);
  const looking = (async () => {
    while (!over.signal.aborted) {
      const atMs = Date.now();
      const { status } = await ask('/office', { Cookie: signedIn.cookie }).catch(() => ({ status: 0 }));
      if (status === 200) pages += 1;
      else failures.push({ atMs, status });
      await pause(EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  return {
    async end() {
      over.abort();
      await looking;
      return { pages, failures };
    },
  };
}
