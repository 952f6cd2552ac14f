mod body;
