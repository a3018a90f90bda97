import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';

const QUOTE = '> Which invoice?\n>\n> Ada';

describe('fold', () => {
  it.each([
    ['English', 'On Fri, 27 Nov 2026 at 14:02, Ada (Shop) <r1@replies.example> wrote:'],
    ['German', 'Am 27.11.2026 um 14:02 schrieb Ada (Shop) <r1@replies.example>:'],
    ['French', 'Le ven. 27 nov. 2026 à 14:02, Ada <r1@replies.example> a écrit :'],
    ['Spanish', 'El vie, 27 nov 2026 a las 14:02, Ada (<r1@replies.example>) escribió:'],
    ['Portuguese', 'Em sex., 27 de nov. de 2026 às 14:02, Ada <r1@replies.example> escreveu:'],
    ['Italian', 'Il giorno ven 27 nov 2026 alle ore 14:02 Ada <r1@replies.example> ha scritto:'],
    ['Dutch', 'Op vr 27 nov 2026 om 14:02 schreef Ada <r1@replies.example>:'],
    ['Polish', 'pt., 27 lis 2026 o 14:02 Ada <r1@replies.example> napisał(a):'],
    ['Japanese', '2026年11月27日(金) 14:02 Ada <r1@replies.example>のメール:'],
  ])('folds a quote that a mail program in %s announces', (_, attribution) => {
    expect(fold(`The one of March.\n\n${attribution}\n\n${QUOTE}\n`)).toEqual({
      body: 'The one of March.',
      folded: `${attribution}\n\n${QUOTE}`,
    });
    // Some programs do not mark the lines of a quote.
    expect(fold(`The one of March.\n\n${attribution}\n\nWhich invoice?`).body).toBe('The one of March.');
  });

  it.each([
    [
      'an attribution in two lines',
      'On Fri, 27 Nov 2026 at 14:02, Ada Lovelace (Shop)\n<r1@replies.example> wrote:',
    ],
    ['a signature', '--\nGrace Hopper\nNavy'],
    ['the line of a phone', 'Sent from my iPhone'],
    ['the line of a phone in German', 'Von meinem iPhone gesendet'],
    ['an original message', '-----Original Message-----\nFrom: Ada'],
    ['the header of Outlook', 'From: Ada <r1@replies.example>\nSent: Friday\nTo: Grace\nSubject: Invoice'],
    ['the header of Outlook in German', 'Von: Ada\nGesendet: Freitag\nAn: Grace\nBetreff: Rechnung'],
    ['quoted lines alone', QUOTE],
  ])('folds %s', (_, rest) => {
    expect(fold(`The one of March.\n\n${rest}`)).toEqual({ body: 'The one of March.', folded: rest });
  });

  it('keeps answers between quoted lines', () => {
    const text = 'On Friday, Ada wrote:\n> Which invoice?\nThe one of March.\n> And which item?\nThe lamp.';
    expect(fold(text)).toEqual({ body: text, folded: null });
  });

  it.each([
    'From: what I see, this is wrong.',
    'On the page it wrote: error',
    'A list:\n-- one\n-- two',
    'Dear team,\n\nplease help.\n\nGrace',
  ])('keeps %j', (text) => {
    expect(fold(text)).toEqual({ body: text, folded: null });
  });
});
