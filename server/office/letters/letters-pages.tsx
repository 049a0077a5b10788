import type { IRouter, Request, RequestHandler, Response } from 'express';
import { causeOf } from '#server/http/app-error.ts';
import { createActContext } from '#server/office/acts/act-context.ts';
import { createActRoutes } from '#server/office/acts/act-routes.tsx';
import type { ActPagesDependencies, SendPage } from '#server/office/acts/dependencies.ts';
import { createNotices } from '#server/office/acts/notices.ts';
import { renderOfficeDocument } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import { signedInOf } from '#server/users/user.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { type Announcing, announceActs } from './announce-acts.ts';
import { LettersPage } from './letters-page.tsx';
import { readAnnouncing, readLetters } from './read-letters.ts';

const TITLE = 'Letters to everyone';

/** The page of what the office announces to everyone who comes, and of the progress of the letters. */
export function addLettersPages(router: IRouter, dependencies: ActPagesDependencies): void {
  const { assets, redis, audit, logger } = dependencies;
  const context = createActContext(dependencies);
  const notices = createNotices(redis);
  const send: SendPage = (res, status, title, children) => {
    const document = { title, style: assets.officeStyle, signedIn: signedInOf(res), children };
    res.status(status).set('Cache-Control', 'no-store').type('html').send(renderOfficeDocument(document));
  };

  const letters: RequestHandler = async (req, res) => {
    try {
      const read = await readLetters(dependencies);
      send(
        res,
        200,
        TITLE,
        <LettersPage
          {...{ letters: read, token: signedInOf(res).token }}
          notice={await notices.find(req.query.told)}
        />,
      );
    } catch (error) {
      logger.warn({ err: causeOf(error) }, 'The letters to everyone cannot be shown');
      send(res, 503, TITLE, <NotNow />);
    }
  };

  /**
   * The current state of an edition; sends the answer itself, and returns undefined, if nobody can act on it.
   */
  const actable = async (req: Request, res: Response): Promise<Announcing | undefined> => {
    const edition = findEdition(editionIn(req));
    if (!edition) {
      send(res, 404, 'There is no such retreat', <Back />);
      return undefined;
    }
    try {
      return await readAnnouncing(edition, dependencies);
    } catch (error) {
      logger.warn({ err: causeOf(error) }, 'A page of the office was not shown');
      send(res, 502, 'Stripe does not answer', <Away />);
      return undefined;
    }
  };
  const act = createActRoutes<Announcing>({
    ...{ acts: announceActs, context, notices, send, audit, logger, actable },
    subjectOf: ({ edition }) => ({
      name: edition.facts.title,
      path: officePaths.letters,
      back: 'Back to the letters to everyone',
    }),
    actionOf: ({ edition }, id) => officePaths.announce(edition.facts.id, id),
    factsOf: (asked) => ({ edition: 'edition' in asked ? asked.edition.facts.id : editionIn(asked) }),
  });
  router.get(officePaths.letters, letters);
  router.get(officePaths.announce(':edition', ':act'), act.show);
  router.post(officePaths.announce(':edition', ':act'), act.press);
}

/** The id of a known edition, or '': the log must not contain other text from the URL. */
function editionIn({ params }: Request): string {
  return findEdition(String(params.edition))?.facts.id ?? '';
}

function Back() {
  return (
    <p>
      <a href={officePaths.letters}>Back to the letters to everyone</a>
    </p>
  );
}

function Away() {
  return (
    <>
      <p>
        What has been announced is on record at Stripe, and Stripe does not answer now. Nothing was done.
        Please try again in a few minutes.
      </p>
      <Back />
    </>
  );
}

function NotNow() {
  return (
    <p role="alert">
      What has been announced, and what has become of the letters, cannot be told now, because Stripe or the
      site’s memory (Redis) does not answer. Nothing is lost: letters that are due go out automatically once
      both answer. Please load this page again in a few minutes.
    </p>
  );
}
