import type { Request, Response, Router } from 'express';
import * as v from 'valibot';
import type { Typed } from '#server/office/commands/command.ts';
import { AppError } from '#server/http/app-error.ts';
import { isMarked, redirectMarked } from '#server/http/cookies.ts';
import type { Users } from '#server/users/users.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { typedIn } from './acts/act-form.tsx';
import type { OfficeDependencies } from './office-dependencies.ts';
import { renderOfficeDocument } from './parts.tsx';
import { isOfficePath, officePaths } from './paths.ts';

const MOST_CHARACTERS = 200;
const field = v.optional(v.pipe(v.string(), v.maxLength(MOST_CHARACTERS)), '');
const typedSchema = v.object({ name: field, password: field, code: field });
const leadSchema = v.object({ to: v.optional(v.pipe(v.string(), v.maxLength(1_000))) });
const formSchema = v.object({ form: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())) });

/** Adds the sign-in and the sign-out; returns what renders the sign-in in answer to a press without a session. */
export function addSignInPages(router: Router, { assets, users }: OfficeDependencies) {
  const render = (page: Omit<SignInProps, 'hasUsers' | 'hasCodes'>): string => {
    const { hasUsers, hasCodes } = users;
    return renderOfficeDocument({
      title: 'Sign in',
      style: assets.officeStyle,
      children: <SignIn {...page} hasUsers={hasUsers} hasCodes={hasCodes} />,
    });
  };
  const send = (res: Response, page: Parameters<typeof render>[0], status = 200): void => {
    res.status(status).type('html').send(render(page));
  };
  router.get(officePaths.signIn, async (req, res) => {
    const to = ownPath(req.query);
    if (await users.find(req, res)) res.redirect(303, to);
    else send(res, { to, problem: isMarked(req) ? NO_COOKIE : undefined });
  });
  router.post(officePaths.signIn, async (req, res, next) => {
    const to = ownPath(req.body);
    const carried = v.safeParse(formSchema, req.body);
    const form = carried.success ? carried.output.form : undefined;
    const typed = v.safeParse(typedSchema, req.body);
    const outcome = typed.success ? await users.signIn(req, res, typed.output) : 'wrong';
    if (outcome === 'signed-in' && form) {
      // What was typed must not be in a URL, so its page is this answer. To open a page changes nothing.
      Object.assign(req, { method: 'GET', url: to, body: form });
      router(req, res, next);
    } else if (outcome === 'signed-in') {
      redirectMarked(res, `${officePaths.signIn}?to=${encodeURIComponent(to)}`);
    } else if (outcome === 'wrong') {
      const name = typed.success ? typed.output.name : '';
      send(res, { to, form, name, problem: wrongWords(users.hasCodes) }, 401);
    } else {
      res.set('Retry-After', String(outcome.waitS));
      send(res, { to, form, problem: waitWords(outcome.waitS) }, 429);
    }
  });
  router.post(officePaths.signOut, async (req, res, next) => {
    const who = await users.find(req, res);
    // Without the form's token, a page of another site could sign her out.
    if (who && !users.isToken(req.body?.token, req)) {
      next(new AppError({ code: 'stale_form', status: 403, message: STALE }));
      return;
    }
    await users.signOut(req, res);
    res.redirect(303, officePaths.signIn);
  });
  return (req: Request, problem?: string): string => {
    const { token: _, ...form } = typedIn(req);
    return render({ to: ownPath({ to: req.originalUrl }), form, problem });
  };
}

const STALE = 'This form was made before you signed in, so nothing was done. Please open its page again.';

/** Where to redirect after the sign-in: only to a page behind it, whatever a URL says. */
function ownPath(given: unknown): string {
  const read = v.safeParse(leadSchema, given);
  const to = read.success ? read.output.to : undefined;
  const base = 'http://office.invalid';
  if (!to || !URL.canParse(to, base)) return officePaths.list;
  const { origin, pathname, search } = new URL(to, base);
  const isSignInOrOut = pathname === officePaths.signIn || pathname === officePaths.signOut;
  return origin === base && isOfficePath(pathname) && !isSignInOrOut ? pathname + search : officePaths.list;
}

const NO_COOKIE =
  'Your browser did not keep the cookie of your session. Please allow cookies for this site, then sign in again.';

function wrongWords(hasCodes: boolean): string {
  return hasCodes
    ? 'Name, password or code is wrong. A code works once: if you have just used it, wait for the next one.'
    : 'Name or password is wrong.';
}

function waitWords(seconds: number): string {
  const wait =
    seconds > 90
      ? `${Math.ceil(seconds / 60)} minutes`
      : `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `There were too many tries to sign in. Please wait ${wait}, then try again.`;
}

interface SignInProps extends Pick<Users, 'hasUsers' | 'hasCodes'> {
  to: string;
  /** What was typed into another form, which is shown again after the sign-in. */
  form?: Typed | undefined;
  name?: string;
  problem?: string | undefined;
}

function SignIn({ to, form, name = '', problem, hasUsers, hasCodes }: SignInProps) {
  if (!hasUsers) return <NobodyYet />;
  return (
    <form method="post" action={officePaths.signIn} className="sign-in">
      <p>To the office’s pages of {facts.siteName}.</p>
      {problem && (
        <p className="sign-in__problem" role="alert">
          {problem}
        </p>
      )}
      <input type="hidden" name="to" value={to} />
      {form && Object.keys(form).length > 0 && (
        <input type="hidden" name="form" value={JSON.stringify(form)} />
      )}
      <label>
        Name
        <input
          name="name"
          type="text"
          defaultValue={name}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={MOST_CHARACTERS}
          required
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autoComplete="current-password"
          maxLength={MOST_CHARACTERS}
          required
        />
      </label>
      {hasCodes && (
        <label>
          Code from your authenticator, if you have one
          <input name="code" type="text" inputMode="numeric" autoComplete="one-time-code" maxLength={12} />
        </label>
      )}
      <button type="submit" className="button">
        Sign in
      </button>
    </form>
  );
}

/** For the operator who has just installed or upgraded the site. */
function NobodyYet() {
  return (
    <>
      <p>Nobody can sign in yet. Make a user on the server; the command asks for her password:</p>
      <pre className="sign-in__command">
        <code>docker compose run --rm --no-deps worker node dist/support.js users NAME --role support</code>
      </pre>
      <p>
        It prints a line. Put it into the file that <code>OPS_USERS_FILE</code> names, and start app and
        worker again. Users with <code>--role office</code> decide about registrations, those with{' '}
        <code>--role support</code> besides look after the site.
      </p>
    </>
  );
}
