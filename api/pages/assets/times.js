// Shows times in the payer's own time zone and language. Without scripts they are in UTC and say so.
const styles = {
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  clock: { timeStyle: 'short' },
};
for (const time of document.querySelectorAll('time[data-show]')) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, styles[time.dataset.show]);
  time.textContent = format.format(new Date(time.dateTime));
}
