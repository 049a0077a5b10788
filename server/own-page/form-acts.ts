import type { IRouter, Request, RequestHandler } from 'express';
import * as v from 'valibot';
import { placeLinkLetter, requestAt } from '#server/letters/holder-letters.ts';
import { cleanText } from '#server/letters/message.ts';
import {
  canAnswer,
  findByAddress,
  findRegistration,
  linksEndAt,
  type RegistrationRecord,
  renewLinks,
  type Token,
} from '#server/registration/registration.ts';
import { findOwnPaid } from '#server/stripe/deposit.ts';
import { answerQuestions, chooseTimeZone, type Given } from '#server/stripe/her-details.ts';
import { causeOf } from '#server/web/app-error.ts';
import { redirectMarked } from '#server/web/cookies.ts';
import { visitorAddress } from '#server/web/visitor-address.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import { ANSWER_LENGTH, answerField, type Question, questionWords } from '#shared/content/questions.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { contactSchema } from '#shared/registration.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { chosenZone, pressToken, readPress } from './press-input.ts';

const JUST_PAID_MS = 60 * 60 * 1000;

/** The presses that need no proof: they move no money, and show nothing. */
export function addFormActs(app: IRouter, context: OwnPageContext): void {
  addLinkActs(app, context);
  const { payments, forms } = context;

  const zone = forms.press(zoneSchema, async ({ record, typed }): Promise<OwnPageNews> => {
    await chooseTimeZone(payments, record, typed.timeZone);
    return 'zone-chosen';
  });
  forms.submit(app, 'questions', answersForm, async ({ record, typed, at }) => {
    if (!canAnswer(record, at)) return 'changed';
    const { given, errors } = readAnswers(record, typed);
    if (Object.keys(errors).length > 0) return { errors };
    await answerQuestions(payments, record, given, at);
    return 'answers-saved';
  });

  app.post(formPaths.timeZone, ...zone);
}

function addLinkActs(app: IRouter, context: OwnPageContext): void {
  const { payments, mailQueue, limiter, sessions, visits, forms, sendLinkPage, logger, now } = context;

  /** The answer is the same for every address, and is sent before the address is looked up. */
  const link: RequestHandler = async (req, res) => {
    if (await limiter.take(['place-links-by-visitor', visitorAddress(req)]))
      return sendLinkPage(res, 'asked-too-often');
    sendLinkPage(res, 'asked');
    const asked = v.safeParse(linkSchema, req.body);
    if (asked.success) await sendLinks(asked.output.email).catch(logNotSent);
  };
  const logNotSent = (error: unknown): void =>
    logger.error({ err: causeOf(error) }, 'A link to her page could not be sent');
  const sendLinks = async (email: string): Promise<void> => {
    const request = requestAt(now());
    const letters = (await findByAddress(payments, email))
      .filter(({ edition, paidAt }) => paidAt && now() < linksEndAt(edition.facts))
      .flatMap((record) => placeLinkLetter(record, request) ?? []);
    if (letters.length === 0 || (await limiter.take(['place-links-to-address', email]))) return;
    await mailQueue.add(...letters);
  };

  const open: RequestHandler = async (req, res) => {
    const { paymentIntentClientSecret: secret, to } = readPress(openSchema, req.body);
    if (await limiter.take(['place-openings', visitorAddress(req)])) return sendLinkPage(res, 'too-many');
    const record = await payments.ask(findOwnPaid, secret);
    if (record && isJustPaid(record) && !hasFullSession(req, record)) {
      sessions.openPage(res, record, 'view');
      if (!to) return redirectMarked(res, OWN_PAGE_PATH);
    }
    forms.redirect(res, undefined, to && formPaths[to]);
  };
  /** The secret never expires: later it proves nothing, and the links may have been renewed. */
  const isJustPaid = ({ paidAt }: RegistrationRecord): boolean =>
    paidAt !== undefined && now().getTime() - paidAt.getTime() <= JUST_PAID_MS;
  const hasFullSession = (req: Request, { id, linksEpoch }: RegistrationRecord): boolean => {
    const { subject, epoch } = sessions.readActing(req)?.token ?? {};
    return subject === id && epoch === linksEpoch;
  };

  /** Ends all links and sessions. It needs none of the page's reads, which somebody else may have used up. */
  const close: RequestHandler = async (req, res) => {
    const { token } = readPress(closeSchema, req.body);
    const session = visits.sessionOf(req, token);
    if (typeof session === 'string') return forms.refuse(res, session);
    if (!(await renewLinks(payments, session.token))) return forms.refuse(res, 'invalid');
    sessions.close(res);
    sendLinkPage(res, 'closed');
    await sendOnceClosed(session.token).catch(logNotSent);
  };
  const sendOnceClosed = async ({ subject, epoch }: Token): Promise<void> => {
    if (await limiter.take(['place-links-once-closed', subject])) return;
    const record = await findRegistration(payments, subject);
    const letter = record && placeLinkLetter(record, `closed-${epoch}`);
    if (letter) await mailQueue.add(letter);
  };
  const leave: RequestHandler = (_req, res) => {
    sessions.close(res);
    res.redirect(303, '/');
  };

  app.post(ownPagePaths.link, ...forms.before, link);
  app.post(ownPagePaths.open, ...forms.before, open);
  app.post(ownPagePaths.close, ...forms.before, close);
  app.post(ownPagePaths.leave, ...forms.before, leave);
}

const openSchema = v.object({
  paymentIntentClientSecret: v.pipe(v.string(), v.regex(/^pi_\w{1,200}_secret_\w{1,200}$/)),
  to: v.optional(v.literal('address')),
});
const closeSchema = v.object({ token: pressToken, sure: v.literal('on') });
const zoneSchema = v.object({ token: pressToken, timeZone: chosenZone });
const linkSchema = v.pick(contactSchema, ['email']);
const answersForm = v.objectWithRest({ token: pressToken }, v.string());

type Typed = Readonly<Record<string, string>>;

/** What she answers, and what is wrong with it, by field. A question whose field is not sent keeps its answer. */
function readAnswers({ edition, answers }: RegistrationRecord, typed: Typed) {
  const given: Given[] = [];
  const errors: Record<string, string> = {};
  for (const question of edition.questions?.items ?? []) {
    const { id, choices, required } = question;
    const sent = typed[answerField(id)];
    const answer = choices ? (sent ?? '') : cleanText(sent ?? '');
    const before = answers.find((one) => one.question === id);
    // A choice may have been reworded since she made it.
    const error = answer === before?.answer ? undefined : errorOf(question, answer);
    if (error !== undefined) errors[answerField(id)] = error;
    else if (answer === '' && required && (!before || sent !== undefined))
      errors[answerField(id)] = questionWords.errors.required(question.text);
    else if (sent !== undefined) given.push({ question, answer });
  }
  return { given, errors };
}

function errorOf({ choices, text }: Question, answer: string): string | undefined {
  if (choices)
    return answer === '' || choices.includes(answer) ? undefined : questionWords.errors.noChoice(text);
  return answer.length > ANSWER_LENGTH ? questionWords.errors.tooLong(text) : undefined;
}
