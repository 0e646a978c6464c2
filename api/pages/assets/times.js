// Shows times in the payer's own time zone and language. Without scripts they are in UTC and say so.
/** @type {Readonly<Record<string, Intl.DateTimeFormatOptions>>} */
const styles = {
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  clock: { timeStyle: 'short' },
};
/** @type {NodeListOf<HTMLTimeElement>} */
const times = document.querySelectorAll('time[data-show]');
for (const time of times) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, styles[time.dataset.show ?? '']);
  time.textContent = format.format(new Date(time.dateTime));
}
