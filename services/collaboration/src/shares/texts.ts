/** The texts of a message in one language. Arguments are plain text. */
export interface Texts {
  /** Texts about a shared report. */
  share: About;
  /** Texts about a comment that mentions the recipient. */
  mention: About;
  noteOf(sender: string): string;
  open: string;
  /** The text before the address, for mail clients in which the button does not work. */
  address: string;
}

interface About {
  subject(sender: string, report: string): string;
  intro(sender: string, report: string): string;
  /** The reason why the recipient gets this message. */
  why: string;
}

export const texts = {
  en: {
    share: {
      subject: (sender, report) => `${sender} shared “${report}” with you`,
      intro: (sender, report) => `${sender} shared the report “${report}” with you.`,
      why: 'You received this message because a teammate shared a report with you.',
    },
    mention: {
      subject: (sender, report) => `${sender} mentioned you in “${report}”`,
      intro: (sender, report) => `${sender} mentioned you in a comment on the report “${report}”.`,
      why: 'You received this message because a teammate mentioned you in a comment.',
    },
    noteOf: (sender) => `${sender} wrote:`,
    open: 'Open the report',
    address: 'Or open this address in your browser:',
  },
  de: {
    share: {
      subject: (sender, report) => `${sender} hat „${report}“ mit Ihnen geteilt`,
      intro: (sender, report) => `${sender} hat den Bericht „${report}“ mit Ihnen geteilt.`,
      why: 'Sie erhalten diese Nachricht, weil jemand aus Ihrem Team einen Bericht mit Ihnen geteilt hat.',
    },
    mention: {
      subject: (sender, report) => `${sender} hat Sie in „${report}“ erwähnt`,
      intro: (sender, report) => `${sender} hat Sie in einem Kommentar zum Bericht „${report}“ erwähnt.`,
      why: 'Sie erhalten diese Nachricht, weil jemand aus Ihrem Team Sie in einem Kommentar erwähnt hat.',
    },
    noteOf: (sender) => `${sender} schreibt:`,
    open: 'Bericht öffnen',
    address: 'Oder öffnen Sie diese Adresse in Ihrem Browser:',
  },
  fr: {
    share: {
      subject: (sender, report) => `${sender} a partagé « ${report} » avec vous`,
      intro: (sender, report) => `${sender} a partagé le rapport « ${report} » avec vous.`,
      why: 'Vous recevez ce message parce qu’un membre de votre équipe a partagé un rapport avec vous.',
    },
    mention: {
      subject: (sender, report) => `${sender} vous a mentionné dans « ${report} »`,
      intro: (sender, report) =>
        `${sender} vous a mentionné dans un commentaire sur le rapport « ${report} ».`,
      why: 'Vous recevez ce message parce qu’un membre de votre équipe vous a mentionné dans un commentaire.',
    },
    noteOf: (sender) => `${sender} écrit :`,
    open: 'Ouvrir le rapport',
    address: 'Ou ouvrez cette adresse dans votre navigateur :',
  },
  es: {
    share: {
      subject: (sender, report) => `${sender} ha compartido «${report}» contigo`,
      intro: (sender, report) => `${sender} ha compartido el informe «${report}» contigo.`,
      why: 'Recibes este mensaje porque alguien de tu equipo ha compartido un informe contigo.',
    },
    mention: {
      subject: (sender, report) => `${sender} te ha mencionado en «${report}»`,
      intro: (sender, report) => `${sender} te ha mencionado en un comentario sobre el informe «${report}».`,
      why: 'Recibes este mensaje porque alguien de tu equipo te ha mencionado en un comentario.',
    },
    noteOf: (sender) => `${sender} escribe:`,
    open: 'Abrir el informe',
    address: 'O abre esta dirección en tu navegador:',
  },
  pt: {
    share: {
      subject: (sender, report) => `${sender} compartilhou “${report}” com você`,
      intro: (sender, report) => `${sender} compartilhou o relatório “${report}” com você.`,
      why: 'Você recebe esta mensagem porque alguém da sua equipe compartilhou um relatório com você.',
    },
    mention: {
      subject: (sender, report) => `${sender} mencionou você em “${report}”`,
      intro: (sender, report) => `${sender} mencionou você em um comentário no relatório “${report}”.`,
      why: 'Você recebe esta mensagem porque alguém da sua equipe mencionou você em um comentário.',
    },
    noteOf: (sender) => `${sender} escreve:`,
    open: 'Abrir o relatório',
    address: 'Ou abra este endereço no seu navegador:',
  },
  it: {
    share: {
      subject: (sender, report) => `${sender} ha condiviso «${report}» con te`,
      intro: (sender, report) => `${sender} ha condiviso con te il report «${report}».`,
      why: 'Ricevi questo messaggio perché una persona del tuo team ha condiviso un report con te.',
    },
    mention: {
      subject: (sender, report) => `${sender} ti ha menzionato in «${report}»`,
      intro: (sender, report) => `${sender} ti ha menzionato in un commento al report «${report}».`,
      why: 'Ricevi questo messaggio perché una persona del tuo team ti ha menzionato in un commento.',
    },
    noteOf: (sender) => `${sender} scrive:`,
    open: 'Apri il report',
    address: 'Oppure apri questo indirizzo nel browser:',
  },
  nl: {
    share: {
      subject: (sender, report) => `${sender} heeft “${report}” met je gedeeld`,
      intro: (sender, report) => `${sender} heeft het rapport “${report}” met je gedeeld.`,
      why: 'Je ontvangt dit bericht omdat een teamgenoot een rapport met je heeft gedeeld.',
    },
    mention: {
      subject: (sender, report) => `${sender} heeft je genoemd in “${report}”`,
      intro: (sender, report) => `${sender} heeft je genoemd in een opmerking bij het rapport “${report}”.`,
      why: 'Je ontvangt dit bericht omdat een teamgenoot je in een opmerking heeft genoemd.',
    },
    noteOf: (sender) => `${sender} schrijft:`,
    open: 'Rapport openen',
    address: 'Of open dit adres in je browser:',
  },
  pl: {
    share: {
      subject: (sender, report) => `${sender} udostępnia Ci „${report}”`,
      intro: (sender, report) => `${sender} udostępnia Ci raport „${report}”.`,
      why: 'Otrzymujesz tę wiadomość, ponieważ ktoś z Twojego zespołu udostępnił Ci raport.',
    },
    mention: {
      subject: (sender, report) => `${sender} wspomina o Tobie w „${report}”`,
      intro: (sender, report) => `${sender} wspomina o Tobie w komentarzu do raportu „${report}”.`,
      why: 'Otrzymujesz tę wiadomość, ponieważ ktoś z Twojego zespołu wspomniał o Tobie w komentarzu.',
    },
    noteOf: (sender) => `${sender} pisze:`,
    open: 'Otwórz raport',
    address: 'Możesz też otworzyć ten adres w przeglądarce:',
  },
  ja: {
    share: {
      subject: (sender, report) => `${sender}さんが「${report}」を共有しました`,
      intro: (sender, report) => `${sender}さんがレポート「${report}」をあなたと共有しました。`,
      why: 'チームのメンバーがレポートを共有したため、このメッセージをお送りしています。',
    },
    mention: {
      subject: (sender, report) => `${sender}さんが「${report}」であなたにメンションしました`,
      intro: (sender, report) =>
        `${sender}さんがレポート「${report}」のコメントであなたにメンションしました。`,
      why: 'チームのメンバーがコメントであなたにメンションしたため、このメッセージをお送りしています。',
    },
    noteOf: (sender) => `${sender}さんからのメッセージ:`,
    open: 'レポートを開く',
    address: 'または、次のアドレスをブラウザーで開いてください:',
  },
} satisfies Record<string, Texts>;

export type Language = keyof typeof texts;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(texts, tag);

/** Returns the language of messages for a BCP 47 tag: its primary subtag if supported, otherwise English. */
export function languageFor(tag: string): Language {
  const { language } = new Intl.Locale(tag);
  return isLanguage(language) ? language : 'en';
}
