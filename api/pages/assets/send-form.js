// Sends the form without a click. Without scripts the payer uses its button, or another way that the page offers.
document.getElementById('send').submit();
