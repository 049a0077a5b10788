import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { ActContext } from '#server/acts/act.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import { officeActs } from '#server/acts/office-acts.ts';
import { type Registering, registerSomebody } from '#server/acts/register-somebody.ts';
import { causeOf } from '#server/http/app-error.ts';
import { type ActPagesDependencies, createActPages } from '#server/office/acts/act-pages.tsx';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { TO_LIST, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { withTimeout } from '#server/service/work.ts';
import { signedInOf, type User } from '#server/users/user.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { nameOf, RegistrationPage, type Shown } from './registration-page.tsx';

const REFRESH_TIMEOUT_MS = 5_000;

/** The page of one registration, the forms of its acts, and the file of her data. */
export function addRegistrationPages(router: IRouter, dependencies: ActPagesDependencies): void {
  const { logger, payments, now } = dependencies;
  const { context, notices, send, addActs } = createActPages(dependencies);
  const reading = { ...dependencies, context };

  const registration: RequestHandler = async (req, res) => {
    const id = keyIn(req);
    const asked = await readShown(id, reading).catch((error: unknown) => {
      if (error instanceof StripeAway) return error;
      throw error;
    });
    const isAway = asked instanceof StripeAway;
    const shown = isAway ? await readRecorded(id, reading) : asked;
    if (!shown) return isAway ? send(res, 502, 'Stripe does not answer', <NotListed />) : sendNone(res, id);
    if (shown.record.id !== id) return res.redirect(302, officePaths.registration(shown.record.id));
    const notice = await notices.find(req.query.told);
    const page = <RegistrationPage shown={shown} signedIn={signedInOf(res)} notice={notice} />;
    send(res, 200, nameOf(shown.record), page);
  };
  /** Read from the register alone, so that it is there while Stripe or Redis is not. */
  const exportData: RequestHandler = async (req, res) => {
    const id = keyIn(req);
    const data = await payments.exportOf(id, now());
    if (!data) return sendNone(res, id);
    res.set('Cache-Control', 'no-store').attachment(`${id}.json`).json(data);
  };

  /** The current state of a registration; sends the answer itself, and returns undefined, if nobody can act on it. */
  const actable = async (req: Request, res: Response): Promise<Shown | undefined> => {
    const id = keyIn(req);
    try {
      const shown = await readShown(id, reading);
      if (!shown) sendNone(res, id);
      return shown;
    } catch (error) {
      logger.warn({ err: causeOf(error), paymentIntent: id }, 'A page of the office was not shown');
      send(res, 502, 'Stripe does not answer', <Away id={id} />);
      return undefined;
    }
  };
  const sendNone = (res: Response, id: string): void =>
    send(res, 404, 'There is no such registration', <None id={id} role={signedInOf(res).user.role} />);

  /** Records what Stripe says before anybody looks; what is away is recorded later. */
  const settle = async ({ record: { id } }: Shown): Promise<void> => {
    await withTimeout(payments.findRegistration(id), REFRESH_TIMEOUT_MS).catch(() => {});
  };
  const known = onlyPayments(sendNone);
  router.get(officePaths.registration(':key'), known, registration);
  router.get(officePaths.export(':key'), known, exportData);
  const acts = {
    acts: officeActs,
    pathOf: officePaths.act,
    actable,
    settle,
    keyOf: ({ record }: Shown) => record.id,
    of: ({ record }: Shown) => record.id,
    subjectOf: ({ record }: Shown) => ({ name: nameOf(record), ...toHer(record) }),
    factsOf: (paymentIntent: string) => ({ paymentIntent }),
  };
  addActs(router, acts, known);
  addActs<Registering, Edition>(router, {
    acts: [registerSomebody],
    pathOf: officePaths.register,
    async actable(req, res) {
      const edition = findEdition(keyIn(req));
      if (!edition) send(res, 404, 'There is no such retreat', <WayBack {...TO_LIST} />);
      return edition && { edition, now: now() };
    },
    keyOf: ({ edition }) => edition.facts.id,
    of: ({ edition }) => edition,
    subjectOf: ({ edition }) => ({ name: edition.facts.title, ...TO_LIST }),
    factsOf: (edition) => ({ edition }),
  });
}

/** Lets only ids of payments through: nothing else is requested from Stripe, or searched for in Redis. */
function onlyPayments(sendNone: (res: Response, id: string) => void): RequestHandler {
  return (req, res, next) => {
    if (/^pi_\w{1,200}$/.test(keyIn(req))) next();
    else sendNone(res, keyIn(req));
  };
}

const keyIn = ({ params }: Request): string => String(params.key);

function None({ id, role }: { id: string; role: User['role'] }) {
  return (
    <>
      <p>
        Stripe knows no registration under <code>{id}</code>. The address may be cut off, or the payment is
        none of this site’s.
      </p>
      {role === 'support' && (
        <p>
          If the log reported this payment, the command <code>{`act ${id} looked-at --by NAME`}</code> marks
          it.
        </p>
      )}
      <WayBack {...TO_LIST} />
    </>
  );
}

const Away = ({ id }: { id: string }) => (
  <WayBack path={officePaths.registration(id)} back="See her registration as the list has it">
    Each act looks at Stripe first, and Stripe does not answer now. Nothing was done. Messages and charges
    that are due continue automatically once it answers.
  </WayBack>
);

const NotListed = () => (
  <WayBack {...TO_LIST}>
    Stripe does not answer now, and this registration is not on record. Nothing is lost: please load this page
    again in a few minutes.
  </WayBack>
);

const toHer = ({ id }: Shown['record']) => ({
  path: officePaths.registration(id),
  back: 'Back to her registration',
});

/** Shorter than what the requests to Stripe may take with all their attempts, because a person waits for the page. */
const STRIPE_TIMEOUT_MS = 8_000;
const REDIS_TIMEOUT_MS = 2_000;

interface ReadDependencies
  extends Pick<OfficeDependencies, 'payments' | 'registrationList' | 'logger' | 'now'> {
  context: ActContext;
}

/** Stripe does not answer for a registration now. */
class StripeAway extends Error {}

/**
 * The current state of a registration, at Stripe and on the queue; undefined when there is none with this ID.
 * @throws {StripeAway} when Stripe does not answer
 */
async function readShown(id: string, dependencies: ReadDependencies): Promise<Shown | undefined> {
  const { payments, logger } = dependencies;
  const [record, letters] = await Promise.all([
    withTimeout(payments.findRegistration(id), STRIPE_TIMEOUT_MS).catch((error: unknown) => {
      logger.warn(
        { err: causeOf(error), paymentIntent: id },
        'Stripe does not tell the office of a registration',
      );
      throw new StripeAway('Stripe does not answer', { cause: error });
    }),
    lettersOf(id, dependencies),
  ]);
  if (!record) return undefined;
  const messages = await payments.readMessages(record.edition);
  return { record, now: dependencies.now(), messages, ...letters };
}

/** The same from the register, without asking Stripe. */
async function readRecorded(id: string, dependencies: ReadDependencies): Promise<Shown | undefined> {
  const { registrationList, payments, now } = dependencies;
  const found = await registrationList.find(id);
  if (!found) return undefined;
  const messages = await payments.readMessages(found.record.edition);
  return { ...found, now: now(), messages, ...(await lettersOf(id, dependencies)) };
}

async function lettersOf(
  id: string,
  { context, logger }: ReadDependencies,
): Promise<Pick<Shown, 'letters' | 'lettersAway'>> {
  try {
    return { letters: await withTimeout(jobsOfPayment(context, id), REDIS_TIMEOUT_MS), lettersAway: false };
  } catch (error) {
    logger.warn({ err: error, paymentIntent: id }, 'The queue does not tell the office of messages');
    return { letters: [], lettersAway: true };
  }
}
