import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { suggestEmail } from './contact-form.tsx';

describe('the suggested e-mail address', () => {
  test('R2.5 corrects a mistyped domain of a large provider', () => {
    const meant = {
      'gmail.com': 'gmial.com gmai.com gmail.con gmail.co gmail.cm gmil.com gamil.com gnail.com gmaill.com',
      'hotmail.com': 'hotmial.com hotmail.co hotmai.com homail.com hotmail.con',
      'yahoo.com': 'yaho.com yahooo.com yahoo.con yahoo.cm yhaoo.com',
      'outlook.com': 'outlok.com outlook.co otulook.com',
      'icloud.com': 'iclod.com icloud.co icoud.com',
      'comcast.net': 'comcast.met comcst.net',
    };
    for (const [domain, slips] of Object.entries(meant)) {
      for (const slip of slips.split(' '))
        assert.equal(suggestEmail(`wilma@${slip}`), `wilma@${domain}`, slip);
    }
  });

  test('R2.5 is absent for a correct domain', () => {
    const right =
      'gmail.com example.org example.com proton.me protonmail.ch pm.me yahoo.co.uk yahoo.ca yahoo.com.mx yahoo.fr ymail.com hotmail.fr hotmail.co.uk live.com live.co.uk outlook.de mac.com me.com mail.com email.com msn.com aol.com gmx.net gmx.de web.de libero.it ox.ac.uk ibm.com gm.com verizon.com acme-company.com wilma.art wilma.yoga retreat.coach';
    for (const domain of right.split(' ')) assert.equal(suggestEmail(`wilma@${domain}`), undefined, domain);
  });

  test('R2.5 leaves out dots that large providers refuse', () => {
    for (const [typed, meant] of [
      ['jane.@example.com', 'jane@example.com'],
      ['.jane..doe@example.com', 'jane.doe@example.com'],
      ['jane.@gmial.com', 'jane@gmail.com'],
    ] as const)
      assert.equal(suggestEmail(typed), meant);
    for (const right of ['jane.doe@example.com', '"jane."@example.com', '..@example.com'])
      assert.equal(suggestEmail(right), undefined, right);
  });

  test('R2.5 is absent for a domain in its own script', () => {
    assert.equal(suggestEmail('anna@bücher.example'), undefined);
    assert.equal(suggestEmail('anna@xn--bcher-kva.example'), undefined);
  });

  test('R2.5 keeps the name before the @ as it was typed', () => {
    assert.equal(suggestEmail(' Wilma.O’Hara+spring@GMIAL.com '), 'Wilma.O’Hara+spring@gmail.com');
    assert.equal(suggestEmail('"w@home"@gmial.com'), '"w@home"@gmail.com');
    assert.equal(suggestEmail('mailto:\u200bwilma＠gmial.com'), 'wilma@gmail.com');
    assert.equal(suggestEmail('\u202awilma@gmail.com\u202c'), undefined);
  });

  test('R2.5 is absent for what is not an address', () => {
    for (const typed of ['', 'wilma', '@gmial.com', 'wilma@'])
      assert.equal(suggestEmail(typed), undefined, typed);
  });
});
