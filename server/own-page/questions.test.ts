import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readOnRecord } from '#server/record/on-record.ts';
import { askedByTests, askQuestions, testQuestions } from '#server/testing/test-editions.ts';
import { newsOf, startOwnPage } from '#server/testing/test-own-page.ts';
import { answerField, consentField, type Question } from '#shared/content/questions.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';

const { name, table, health } = testQuestions;
const CLOSED = new Date(askedByTests.editableUntil);
const answer = ({ id }: Question, text: string) => ({ [answerField(id)]: text });
const consent = { [consentField(health.id)]: health.health.digest };
const NOTHING_ELSE = { ...answer(table, ''), ...answer(health, '') };

async function startAsked(t: TestContext) {
  askQuestions(t);
  const ownPage = await startOwnPage(t);
  const { enter, press, see, find, database, deposit, clock } = ownPage;
  let cookie = await enter();
  const send = (input: object) => press(cookie, formPaths.questions, input);
  return {
    ...ownPage,
    send,
    /** A session ends after thirty days: she opens her page again. */
    async moveTo(moment: Date) {
      clock.now = moment;
      cookie = await enter();
    },
    /** Sends answers that are saved. */
    async save(input: object) {
      const answered = await send(input).expect(303);
      assert.deepEqual([answered.headers.location, newsOf(answered)], [OWN_PAGE_PATH, 'answers-saved']);
    },
    remove: (question: string, more: object = { sure: 'on' }) =>
      press(cookie, formPaths.healthRemoved, { question, ...more }),
    answers: async () => (await find()).answers.map((one) => [one.question, one.answer]),
    see: (path?: string) => see(cookie, path),
    seeAs: see,
    page: async (path?: string) => (await see(cookie, path).expect(200)).text,
    acts: async () => (await readOnRecord({ database }, deposit)).acts,
  };
}

describe('she answers the questions of her edition', () => {
  test('without a proof or a script: the page asks at its top, shows what she answered, and lets her change it', async (t) => {
    const { page, save, answers, find, clock } = await startAsked(t);
    assert.match(
      await page(),
      /Three questions for you.*Please answer by Thursday, January\s15,\s2026, at 6:00.pm/,
    );
    const form = await page(formPaths.questions);
    assert.match(form, /<label[^>]*>What shall we call you\? <span[^>]*>required</);
    assert.match(form, /<textarea[^>]*name="answer-name-shown" required=""[^>]*maxLength="500"/i);
    await save({
      ...answer(name, ' Wil\r\nma\u202e\u2028 '),
      ...answer(table, table.choices[1] ?? ''),
      ...answer(health, ''),
    });
    assert.deepEqual(await answers(), [
      ['name-shown', 'Wil\nma'],
      ['table', 'With my family'],
    ]);
    const answered = await page();
    assert.doesNotMatch(answered, /questions? for you/);
    assert.match(answered, /What shall we call you\?<\/dt><dd>Wil\nma<\/dd>.*With my family.*Not answered/s);
    const { at } = (await find()).answers[0] ?? assert.fail();
    clock.now = new Date(clock.now.getTime() + 60_000);
    await save({ ...answer(name, 'Wil\nma'), ...answer(table, ''), ...answer(health, '') });
    assert.deepEqual(await answers(), [['name-shown', 'Wil\nma']]);
    assert.deepEqual((await find()).answers[0]?.at, at, 'what stays as it was keeps its time');
  });

  test('what cannot be saved comes back with an error at its field, and nothing is saved', async (t) => {
    const { send, answers } = await startAsked(t);
    for (const [input, field, error] of [
      [
        { ...NOTHING_ELSE, ...answer(name, ' ') },
        'answer-name-shown',
        'Please answer: What shall we call you',
      ],
      [NOTHING_ELSE, 'answer-name-shown', 'Please answer: What shall we call you'],
      [{ ...NOTHING_ELSE, ...answer(name, 'x'.repeat(501)) }, 'answer-name-shown', 'At most 500 characters'],
      [
        { ...answer(name, 'W'), ...answer(table, 'Alone') },
        'answer-table',
        'Please choose one of the answers: With whom',
      ],
      [{ ...answer(name, 'W'), ...answer(health, 'a & b') }, 'consent-health', 'Without your consent'],
      [
        { ...answer(name, 'W'), ...answer(health, 'a & b'), [consentField(health.id)]: 'e'.repeat(64) },
        'consent-health',
        'Without your consent',
      ],
    ] as const) {
      const { text } = await send(input).expect(422);
      assert.match(text, new RegExp(`href="#field-${field}">${error}`));
      assert.match(text, new RegExp(`id="field-${field}-error">${error}`));
    }
    const { text } = await send({ ...answer(name, 'W'), ...answer(health, 'a & b') });
    assert.match(text, />a &amp; b<\/textarea>/, 'she need not type it again');
    assert.deepEqual(await answers(), []);
    await send({ ...answer(name, '文'.repeat(500)), ...answer(health, '文'.repeat(500)), ...consent }).expect(
      303,
    );
  });

  test('until the day that the edition names, then they are only shown', async (t) => {
    const { save, send, page, see, moveTo, answers } = await startAsked(t);
    await save({ ...NOTHING_ELSE, ...answer(name, 'Wilma') });
    await moveTo(new Date(CLOSED.getTime() - 1));
    await save({ ...NOTHING_ELSE, ...answer(name, 'Wil') });
    await moveTo(CLOSED);
    assert.equal(newsOf(await send({ ...NOTHING_ELSE, ...answer(name, 'Late') }).expect(303)), 'changed');
    await see(formPaths.questions).expect(303);
    assert.match(await page(), /<dd>Wil<\/dd>.*If one is not right any more, write to the office/s);
    assert.deepEqual(await answers(), [['name-shown', 'Wil']]);
  });

  test('not once she has cancelled; an answer to a question that is asked no more is shown and kept', async (t) => {
    const { save, send, page, answers, payments, find, clock } = await startAsked(t);
    await save({ ...answer(name, 'Wilma'), ...answer(table, 'By myself') });
    askQuestions(t, { ...askedByTests, items: [name] });
    assert.match(await page(), /With whom will you eat\?<\/dt><dd>By myself/);
    await save(answer(name, 'Wil'));
    assert.deepEqual(await answers(), [
      ['name-shown', 'Wil'],
      ['table', 'By myself'],
    ]);
    await payments.decide(await find(), 'cancel', { at: clock.now, by: 'Anna', writtenAt: clock.now });
    assert.equal(newsOf(await send(answer(name, 'W')).expect(303)), 'changed');
    assert.match(await page(), /<dd>Wil<\/dd>/);
  });

  test('a choice that was reworded since is still offered to her who made it, and kept', async (t) => {
    const { save, send, page, answers } = await startAsked(t);
    await save({ ...answer(name, 'Wilma'), ...answer(table, 'By myself'), ...answer(health, '') });
    askQuestions(t, { ...askedByTests, items: [name, { ...table, choices: ['Alone', 'With others'] }] });
    assert.match(
      await page(formPaths.questions),
      /<option>With others<\/option><option[^>]*selected=""[^>]*>By myself</,
    );
    await save({ ...answer(name, 'Wil'), ...answer(table, 'By myself') });
    assert.deepEqual(await answers(), [
      ['name-shown', 'Wil'],
      ['table', 'By myself'],
    ]);
    await send({ ...answer(name, 'Wil'), ...answer(table, 'With my family') }).expect(422);
  });

  test('nothing is asked where the edition asks nothing', async (t) => {
    const { enter, see, press } = await startOwnPage(t);
    const cookie = await enter();
    assert.doesNotMatch((await see(cookie)).text, /question.*for you|id="questions"/);
    await see(cookie, formPaths.questions).expect(303);
    assert.equal(newsOf(await press(cookie, formPaths.questions, {}).expect(303)), 'changed');
  });
});

describe('her answer about her health', () => {
  test('needs a consent, which is recorded with its sentence, and is shown to no session again', async (t) => {
    const { save, page, acts, answers, find, clock, enter, seeAs, tokenWith } = await startAsked(t);
    await save({ ...answer(name, 'W'), ...answer(health, 'Asthma'), ...consent });
    const { at, ...given } =
      (await find()).answers.find(({ question }) => question === 'health') ?? assert.fail();
    const [act, ...others] = (await acts()).filter(({ kind }) => kind === 'health-consent');
    assert.deepEqual(given, { question: 'health', asked: health.text, answer: 'Asthma', consent: act?.id });
    assert.deepEqual([at, others], [clock.now, []]);
    const { digest, consent: sentence } = health.health;
    const facts = { question: 'health', asked: health.text, consent: sentence, digest };
    assert.deepEqual([JSON.parse(act?.facts ?? ''), act?.byWhom], [facts, 'the registrant']);
    const office = await enter(tokenWith({ scope: 'look' }));
    for (const html of [await page(), await page(formPaths.questions), (await seeAs(office)).text]) {
      assert.doesNotMatch(html, /Asthma/);
      assert.match(html, /Answered\. What you wrote is not shown|You have answered this/);
    }
    assert.doesNotMatch((await seeAs(office)).text, /questions\/remove/);
    await save({ ...answer(name, 'W'), ...answer(health, '') });
    assert.deepEqual((await answers()).at(-1), ['health', 'Asthma'], 'an empty field keeps it');
    await save({ ...answer(name, 'W'), ...answer(health, 'None'), ...consent });
    assert.deepEqual((await answers()).at(-1), ['health', 'None']);
  });

  test('is not shown, and kept by an empty field, where the question is not about health any more', async (t) => {
    const { save, page, answers } = await startAsked(t);
    await save({ ...answer(name, 'W'), ...answer(health, 'Asthma'), ...consent });
    const { health: _, ...other } = health;
    askQuestions(t, { ...askedByTests, items: [name, { ...other, required: true }] });
    const form = await page(formPaths.questions);
    assert.doesNotMatch(form, /Asthma/);
    assert.match(form, /You have answered this\. Leave it empty to keep your answer/);
    assert.doesNotMatch(form, /<textarea[^>]*name="answer-health"[^>]* required/);
    await save({ ...answer(name, 'Wil'), ...answer(health, '') });
    assert.deepEqual((await answers()).at(-1), ['health', 'Asthma']);
  });

  test('is deleted at once when she takes the consent back, also after the last day and once she has cancelled', async (t) => {
    const { save, remove, page, acts, answers, payments, find, clock, moveTo } = await startAsked(t);
    await save({ ...answer(name, 'W'), ...answer(health, 'Asthma'), ...consent });
    await remove('health', {}).expect(400);
    assert.equal(newsOf(await remove('name-shown').expect(303)), 'changed', 'only an answer about health');
    await payments.decide(await find(), 'cancel', { at: clock.now, by: 'Anna', writtenAt: clock.now });
    await moveTo(CLOSED);
    assert.match(await page(), /action="\/place\/questions\/remove"/);
    assert.equal(newsOf(await remove('health').expect(303)), 'health-removed');
    assert.equal(newsOf(await remove('health').expect(303)), 'changed');
    assert.deepEqual(await answers(), [['name-shown', 'W']]);
    const [given, removed] = (await acts()).filter(({ kind }) => kind.startsWith('health-'));
    assert.deepEqual([removed?.kind, removed?.undoes], ['health-removed', given?.id]);
  });
});
