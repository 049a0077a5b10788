import { type Request, type RequestHandler, type Response, urlencoded } from 'express';
import type { AppConfig } from '#server/config/config.ts';
import { privately } from '#server/http/privately.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import type { Sent } from '#shared/content/own-page-view.ts';
import { actWords } from '#shared/content/own-page-words.ts';
import { OWN_PAGE_PATH, type OwnPageNews } from '#shared/own-page.ts';
import type { SendLinkPage } from './link-pages.ts';
import type { News } from './news.ts';
import type { Proofs } from './proofs.ts';
import type { Sessions } from './sessions.ts';
import type { NoActor, Visit, Visits } from './visits.ts';

/** What is wrong with what she sent. */
export type Refuted = Omit<Sent, 'typed'>;

/** What the forms share that she sends without a script. */
export interface Forms {
  /** The handlers before each of these forms. */
  before: RequestHandler[];
  /** The visit of the person who presses; undefined when the press is answered already. */
  actor(req: Request, res: Response, pressToken: string): Promise<Visit | undefined>;
  /** Answers a press that is not carried out. */
  refuse(res: Response, reason: NoActor): void;
  /** Redirects to one of her pages, which shows the result of the press. */
  redirect(res: Response, told?: OwnPageNews, path?: string): void;
  /** The error of the proof that she typed; undefined when it is right. An empty one is no attempt. */
  refuteProof(visit: Visit, typed: string): Promise<Refuted | undefined>;
  /** Shows a form again, with its errors. */
  sendAgain(res: Response, html: string, refuted: Partial<Refuted> | undefined): void;
}

interface Dependencies {
  config: Pick<AppConfig, 'publicUrl'>;
  sessions: Sessions;
  visits: Visits;
  proofs: Proofs;
  news: News;
  sendLinkPage: SendLinkPage;
}

export function createForms({ config, sessions, visits, proofs, news, sendLinkPage }: Dependencies): Forms {
  const redirect: Forms['redirect'] = (res, told, path = OWN_PAGE_PATH) => {
    if (told) news.tell(res, told);
    res.redirect(303, path);
  };
  const refuse: Forms['refuse'] = (res, reason) => {
    if (reason === 'refused') return redirect(res, 'changed');
    if (reason === 'invalid') sessions.close(res);
    sendLinkPage(res, reason);
  };
  return {
    before: [
      privately,
      requireSameOrigin(config.publicUrl, { allowNullOrigin: true }),
      urlencoded({ extended: false, limit: '32kb' }),
    ],
    redirect,
    refuse,
    async actor(req, res, pressToken) {
      const visit = await visits.findActor(req, pressToken);
      if (typeof visit !== 'string') return visit;
      refuse(res, visit);
      return undefined;
    },
    sendAgain(res, html, refuted) {
      res
        .status(refuted?.proofsSpent ? 429 : 422)
        .type('html')
        .send(html);
    },
    async refuteProof(visit, typed) {
      if (typed.trim() === '') return { errors: { proof: actWords.proofMissing } };
      const refuted = await proofs.refute(visit, typed);
      if (refuted === 'spent') return { errors: {}, proofsSpent: true };
      return refuted && { errors: { proof: actWords.notProven[visit.secondFactor.kind] } };
    },
  };
}
