import type { Request, Response, Router } from 'express';
import type { ComponentProps } from 'react';
import * as v from 'valibot';
import type { Users } from '#server/office/users/users.ts';
import { AppError } from '#server/web/app-error.ts';
import type { Assets } from '#server/web/assets.ts';
import { isMarked, redirectMarked } from '#server/web/cookies.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { typedIn } from './commands/command-pages.tsx';
import { renderOfficeDocument } from './office-document.tsx';
import { Warning } from './parts.tsx';
import { isOfficePath, officePaths } from './paths.ts';

const MOST_CHARACTERS = 200;
const text = (most: number) => v.fallback(v.pipe(v.string(), v.maxLength(most)), '');

const typedSchema = v.object({
  to: text(1_000),
  name: text(MOST_CHARACTERS),
  password: text(MOST_CHARACTERS),
  code: text(MOST_CHARACTERS),
  /** What was typed into another form, which is shown again after the sign-in. */
  form: v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), {}),
});

/** Adds the sign-in and the sign-out; returns what renders the sign-in in answer to a press without a session. */
export function addSignInPages(router: Router, { assets, users }: { assets: Assets; users: Users }) {
  const render = (page: Omit<SignInProps, 'users'>): string =>
    renderOfficeDocument({
      title: 'Sign in',
      style: assets.officeStyle,
      children: users.hasUsers ? <SignIn {...page} users={users} /> : <NobodyYet />,
    });
  const send = (res: Response, page: Parameters<typeof render>[0], status = 200): void => {
    res.status(status).type('html').send(render(page));
  };
  router.get(officePaths.signIn, async (req, res) => {
    const to = ownPath(v.parse(typedSchema, req.query).to);
    if (await users.find(req, res)) res.redirect(303, to);
    else send(res, { to, problem: isMarked(req) ? NO_COOKIE : undefined });
  });
  router.post(officePaths.signIn, async (req, res, next) => {
    const { form, ...typed } = v.parse(typedSchema, req.body ?? {});
    const to = ownPath(typed.to);
    const { outcome, waitS } = await users.signIn(req, res, typed);
    if (outcome === 'signed-in' && Object.keys(form).length > 0) {
      // What was typed must not be in a URL, so its page is this answer. To open a page changes nothing.
      Object.assign(req, { method: 'GET', url: to, body: form });
      router(req, res, next);
    } else if (outcome === 'signed-in') {
      redirectMarked(res, `${officePaths.signIn}?to=${encodeURIComponent(to)}`);
    } else if (waitS === undefined) {
      send(res, { to, form, name: typed.name, problem: users.hasCodes ? WRONG_OR_USED : WRONG }, 401);
    } else {
      res.set('Retry-After', String(waitS));
      send(res, { to, form, problem: waitWords(waitS) }, 429);
    }
  });
  router.post(officePaths.signOut, async (req, res) => {
    // Without the form's token, a page of another site could sign her out.
    if (!(await users.signOut(req, res)))
      throw new AppError({ code: 'stale_form', status: 403, message: STALE });
    res.redirect(303, officePaths.signIn);
  });
  return (req: Request, problem?: string): string => {
    const { token: _, ...form } = typedIn(req);
    return render({ to: ownPath(req.originalUrl), form, problem });
  };
}

const STALE = 'This form was made before you signed in, so nothing was done. Please open its page again.';
const NO_COOKIE =
  'Your browser did not keep the cookie of your session. Please allow cookies for this site, then sign in again.';
const WRONG = 'Name or password is wrong.';
const WRONG_OR_USED =
  'Name, password or code is wrong. A code works once: if you have just used it, wait for the next one.';

function waitWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `There were too many tries to sign in. Please wait ${wait}, then try again.`;
}

/** Where to redirect after the sign-in: only to a page behind it, whatever a URL says. */
function ownPath(to: string): string {
  const base = 'http://office.invalid';
  if (to === '' || !URL.canParse(to, base)) return officePaths.today;
  const { origin, pathname, search } = new URL(to, base);
  const isSignInOrOut = pathname === officePaths.signIn || pathname === officePaths.signOut;
  return origin === base && isOfficePath(pathname) && !isSignInOrOut ? pathname + search : officePaths.today;
}

interface SignInProps {
  to: string;
  form?: Readonly<Record<string, string>>;
  name?: string;
  problem?: string | undefined;
  users: Pick<Users, 'hasCodes'>;
}

function SignIn({ to, form = {}, name = '', problem, users }: SignInProps) {
  return (
    <form method="post" action={officePaths.signIn} className="sign-in">
      <p>To the office’s pages of {facts.siteName}.</p>
      {problem && <Warning>{problem}</Warning>}
      <input type="hidden" name="to" value={to} />
      {Object.keys(form).length > 0 && <input type="hidden" name="form" value={JSON.stringify(form)} />}
      <Typed label="Name" name="name" defaultValue={name} autoComplete="username" required />
      <Typed label="Password" name="password" type="password" autoComplete="current-password" required />
      {users.hasCodes && (
        <Typed
          label="Code from your authenticator, if you have one"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
        />
      )}
      <button type="submit" className="button">
        Sign in
      </button>
    </form>
  );
}

function Typed({ label, ...input }: ComponentProps<'input'> & { label: string }) {
  return (
    <label>
      {label}
      <input type="text" autoCapitalize="none" spellCheck={false} maxLength={MOST_CHARACTERS} {...input} />
    </label>
  );
}

/** For the operator who has just installed or upgraded the site. */
function NobodyYet() {
  return (
    <>
      <p>Nobody can sign in yet. Make a user on the server; the command asks for her password:</p>
      <pre className="notice as-written">
        <code>docker compose run --rm --no-deps worker node dist/support.js users NAME --role support</code>
      </pre>
      <p>
        It prints a line. Put it into the file that <code>OPS_USERS_FILE</code> names, and start app and
        worker again.
      </p>
    </>
  );
}
