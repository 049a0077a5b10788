import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { decide } from '#server/stripe/decide.ts';
import { askedByTests, askQuestions, testQuestions } from '#server/testing/test-editions.ts';
import { newsOf, startOwnPage } from '#server/testing/test-own-page.ts';
import { answerField, type Question } from '#shared/content/questions.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';

const { name, table, song } = testQuestions;
const CLOSED = new Date(askedByTests.editableUntil);
const answer = ({ id }: Question, text: string) => ({ [answerField(id)]: text });
const NOTHING_ELSE = { ...answer(table, ''), ...answer(song, '') };

async function startAsked(t: TestContext) {
  askQuestions(t);
  const ownPage = await startOwnPage(t);
  const { enter, press, see, find, clock } = ownPage;
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
    answers: async () => (await find()).answers.map((one) => [one.question, one.answer]),
    see: (path?: string) => see(cookie, path),
    page: async (path?: string) => (await see(cookie, path).expect(200)).text,
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
    assert.match(form, /<textarea[^>]*name="answer-name-shown"[^>]* required=""[^>]*maxLength="500"/i);
    await save({
      ...answer(name, ' Wil\r\nma\u202e\u2028 '),
      ...answer(table, table.choices[1] ?? ''),
      ...answer(song, ''),
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
    await save({ ...answer(name, 'Wil\nma'), ...NOTHING_ELSE });
    assert.deepEqual(await answers(), [['name-shown', 'Wil\nma']]);
    assert.deepEqual((await find()).answers[0]?.at, at, 'what stays as it was keeps its time');
  });

  test('what cannot be saved comes back with an error at its field, and nothing is saved', async (t) => {
    const { send, answers } = await startAsked(t);
    for (const [input, field, error] of [
      [{ ...NOTHING_ELSE, ...answer(name, ' ') }, name, 'Please answer: What shall we call you'],
      [{ ...NOTHING_ELSE, ...answer(name, 'x'.repeat(501)) }, name, 'At most 500 characters'],
      [
        { ...answer(name, 'W'), ...answer(table, 'Alone') },
        table,
        'Please choose one of the answers: With whom',
      ],
    ] as const) {
      const { text } = await send(input).expect(422);
      const id = `field-${answerField(field.id)}`;
      assert.ok(text.includes(`href="#${id}">${error}`) && text.includes(`id="${id}-error">${error}`));
    }
    const { text } = await send({ ...answer(name, ''), ...answer(song, 'a & b') });
    assert.match(text, />a &amp; b<\/textarea>/, 'she need not type it again');
    assert.deepEqual(await answers(), []);
    await send({ ...answer(name, '文'.repeat(500)), ...answer(song, '文'.repeat(500)) }).expect(303);
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

  test('an answer to a question that is asked no more, or a choice that was reworded since, is shown and kept', async (t) => {
    const { save, send, page, answers } = await startAsked(t);
    await save({ ...answer(name, 'Wilma'), ...answer(table, 'By myself') });
    askQuestions(t, { ...askedByTests, items: [name, { ...table, choices: ['Alone', 'With others'] }] });
    const offered = /<option>With others<\/option><option[^>]*selected=""[^>]*>By myself</;
    assert.match(await page(formPaths.questions), offered);
    await save({ ...answer(name, 'Wil'), ...answer(table, 'By myself') });
    await send({ ...answer(name, 'Wil'), ...answer(table, 'With my family') }).expect(422);
    askQuestions(t, { ...askedByTests, items: [name] });
    assert.match(await page(), /With whom will you eat\?<\/dt><dd>By myself/);
    await save(answer(name, 'W'));
    assert.deepEqual(await answers(), [
      ['name-shown', 'W'],
      ['table', 'By myself'],
    ]);
  });

  test('not once she has cancelled', async (t) => {
    const { save, send, page, payments, find, clock } = await startAsked(t);
    await save({ ...NOTHING_ELSE, ...answer(name, 'Wil') });
    await payments.ask(decide, await find(), 'cancel', { at: clock.now, by: 'Anna', writtenAt: clock.now });
    assert.equal(newsOf(await send(answer(name, 'W')).expect(303)), 'changed');
    assert.match(await page(), /<dd>Wil<\/dd>/);
  });
});
