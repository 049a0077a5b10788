import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { ActContext } from '#server/acts/act.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import { officeActs } from '#server/acts/office-acts.ts';
import { type Registering, registerSomebody } from '#server/acts/register-somebody.ts';
import { readMessages } from '#server/mail/messages.ts';
import { type ActPagesDependencies, createActPages } from '#server/office/acts/act-pages.tsx';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { TO_LIST, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { exportOf } from '#server/registration/her-data.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { withTimeout } from '#server/service/work.ts';
import { signedInOf, type User } from '#server/users/user.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { nameOf, RegistrationPage, type Shown } from './registration-page.tsx';

/** The page of one registration, the forms of its acts, and the file of her data. */
export function addRegistrationPages(router: IRouter, dependencies: ActPagesDependencies): void {
  const { payments, now } = dependencies;
  const { context, notices, send, addActs } = createActPages(dependencies);
  const reading = { ...dependencies, context };

  const registration: RequestHandler = async (req, res) => {
    const id = keyIn(req);
    const shown = await readShown(id, reading);
    if (!shown) return sendNone(res, id);
    const notice = await notices.find(req.query.told);
    const page = <RegistrationPage shown={shown} signedIn={signedInOf(res)} notice={notice} />;
    send(res, 200, nameOf(shown.record), page);
  };
  const exportData: RequestHandler = async (req, res) => {
    const id = keyIn(req);
    const data = await exportOf(payments, id, now());
    if (!data) return sendNone(res, id);
    res.set('Cache-Control', 'no-store').attachment(`${id}.json`).json(data);
  };

  /** The current state of a registration; sends the answer itself, and returns undefined, if there is none. */
  const actable = async (req: Request, res: Response): Promise<Shown | undefined> => {
    const shown = await readShown(keyIn(req), reading);
    if (!shown) sendNone(res, keyIn(req));
    return shown;
  };
  const sendNone = (res: Response, id: string): void =>
    send(res, 404, 'There is no such registration', <None id={id} role={signedInOf(res).user.role} />);

  const known = onlyRegistrations(sendNone);
  router.get(officePaths.registration(':key'), known, registration);
  router.get(officePaths.export(':key'), known, exportData);
  const acts = {
    acts: officeActs,
    pathOf: officePaths.act,
    actable,
    keyOf: ({ record }: Shown) => record.id,
    of: ({ record }: Shown) => record.id,
    subjectOf: ({ record }: Shown) => ({ name: nameOf(record), ...toHer(record) }),
    factsOf: (registration: string) => ({ registration }),
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

/** Lets only ids of registrations through: nothing else is searched for. */
function onlyRegistrations(sendNone: (res: Response, id: string) => void): RequestHandler {
  return (req, res, next) => {
    if (/^reg_\w{1,200}$/.test(keyIn(req))) next();
    else sendNone(res, keyIn(req));
  };
}

const keyIn = ({ params }: Request): string => String(params.key);

function None({ id, role }: { id: string; role: User['role'] }) {
  return (
    <>
      <p>
        There is no registration <code>{id}</code>. The address may be cut off.
      </p>
      {role === 'support' && (
        <p>
          If the log reported it, the command <code>{`act ${id} looked-at --by NAME`}</code> marks it.
        </p>
      )}
      <WayBack {...TO_LIST} />
    </>
  );
}

const toHer = ({ id }: Shown['record']) => ({
  path: officePaths.registration(id),
  back: 'Back to her registration',
});

const REDIS_TIMEOUT_MS = 2_000;

interface ReadDependencies extends Pick<OfficeDependencies, 'payments' | 'logger' | 'now'> {
  context: ActContext;
}

/** A registration as it is on record and on the queue; undefined when there is none with this id. */
async function readShown(id: string, dependencies: ReadDependencies): Promise<Shown | undefined> {
  const { payments, now } = dependencies;
  const [record, letters] = await Promise.all([findRegistration(payments, id), lettersOf(id, dependencies)]);
  if (!record) return undefined;
  const messages = await readMessages(payments, record.edition);
  return { record, now: now(), messages, ...letters };
}

async function lettersOf(
  id: string,
  { context, logger }: ReadDependencies,
): Promise<Pick<Shown, 'letters' | 'lettersAway'>> {
  try {
    return { letters: await withTimeout(jobsOfPayment(context, id), REDIS_TIMEOUT_MS), lettersAway: false };
  } catch (error) {
    logger.warn({ err: error, registration: id }, 'The queue does not tell the office of messages');
    return { letters: [], lettersAway: true };
  }
}
