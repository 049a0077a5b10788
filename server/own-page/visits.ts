import type { Request } from 'express';
import type { OwnPageLinks } from '#server/links/links.ts';
import type { FoundRegistrant } from '#server/payments/find-registration.ts';
import type { Payments } from '#server/payments/payments.ts';
import { hasOwnPage } from '#server/record/registration-state.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import type { Session, Sessions } from './sessions.ts';

/** A visitor whose browser has a registration's page open, and the registration as Stripe has it now. */
export interface Visit extends FoundRegistrant {
  session: Session;
  mayAct: boolean;
}

/** Why a browser is not let in. */
export type NoVisit = 'none' | 'invalid' | 'too-many';

/**
 * Why a press is not carried out: also `refused` where the browser may only look, or the press does not come from the page
 * of its session; `another` where it comes from another person's page.
 */
export type NoActor = NoVisit | 'refused' | 'another';

export type Visits = ReturnType<typeof createVisits>;

interface VisitsDependencies {
  links: OwnPageLinks;
  sessions: Sessions;
  payments: Pick<Payments, 'findWithFactor'>;
  limits: OwnPageLimits;
}

/**
 * Finds whose page a browser has open, by its cookie. Requests Stripe only for a token that this site made, and within a rate
 * limit per registration.
 */
export function createVisits({ links, sessions, payments, limits }: VisitsDependencies) {
  const visitOf = async (session: Session): Promise<Visit | NoVisit> => {
    const { deposit, epoch, scope } = session.token;
    if (!(await limits.admitsIn(session, 'reads'))) return 'too-many';
    const found = await payments.findWithFactor(deposit);
    if (!found || !hasOwnPage(found.record) || found.record.linksEpoch !== epoch) return 'invalid';
    return { ...found, session, mayAct: scope === 'session' };
  };
  /** The session that a press comes from, by its cookie alone: its links may have been renewed. */
  const sessionOf = (req: Request, pressToken: string): Session | NoActor => {
    const session = sessions.read(req);
    if (typeof session === 'string') return session;
    const page = links.pageOf(pressToken);
    if (page !== undefined && page !== session.token.deposit) return 'another';
    const isHers = session.token.scope === 'session' && links.isPressToken(pressToken, session.text);
    return isHers ? session : 'refused';
  };
  return {
    sessionOf,
    async find(req: Request): Promise<Visit | NoVisit> {
      const session = sessions.read(req);
      return typeof session === 'string' ? session : visitOf(session);
    },
    /** The same for a press, whose session must be one that may act. */
    async findActor(req: Request, pressToken: string): Promise<Visit | NoActor> {
      const session = sessionOf(req, pressToken);
      return typeof session === 'string' ? session : visitOf(session);
    },
  };
}
