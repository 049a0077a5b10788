import type { IRouter, Request, Response } from 'express';
import { readMessages } from '#server/mail/messages.ts';
import { Refusal } from '#server/office/commands/command.ts';
import { type CommandDependencies, createCommandPages } from '#server/office/commands/command-pages.tsx';
import { lettersAbout } from '#server/office/commands/letters.ts';
import { letters, registering, registrations } from '#server/office/commands/subjects.ts';
import { TO_LIST, WayBack } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { exportOf } from '#server/registration/registration.ts';
import { signedInOf } from '#server/users/user.ts';
import { RegistrationPage } from './registration-page.tsx';

/** The page of one registration, the forms of the commands about it and its letters, and the file of her data. */
export function addRegistrationPages(router: IRouter, dependencies: CommandDependencies): void {
  const { payments, now } = dependencies;
  const { context, send, addCommands } = createCommandPages(dependencies);

  router.get(officePaths.registration(':key'), async (req: Request, res: Response) => {
    const id = keyIn(req);
    const about = await registrations.find(context, id).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    if (!about) return sendNone(res, id);
    const shown = {
      about,
      ...(await lettersAbout(context, id)),
      messages: await readMessages(payments, about.record.edition),
      signedIn: signedInOf(res),
    };
    send(res, 200, registrations.nameOf(about), <RegistrationPage {...shown} />);
  });
  router.get(officePaths.export(':key'), async (req, res) => {
    const id = keyIn(req);
    const data = registrations.isNamed(id) && (await exportOf(payments, id, now()));
    if (!data) return sendNone(res, id);
    res.set('Cache-Control', 'no-store').attachment(`${id}.json`).json(data);
  });
  addCommands(router, registrations);
  addCommands(router, registering);
  addCommands(router, letters);

  const sendNone = (res: Response, id: string): void => {
    const isSupport = signedInOf(res).user.role === 'support';
    send(
      res,
      404,
      'There is no such registration',
      <>
        <p>
          There is no registration <code>{id}</code>. The address may be cut off.
        </p>
        {isSupport && (
          <p>
            If the log reported it, the command <code>{`act ${id} looked-at --by NAME`}</code> marks it.
          </p>
        )}
        <WayBack {...TO_LIST} />
      </>,
    );
  };
}

const keyIn = ({ params }: Request): string => String(params.key);
