module github.com/standin/standin-go

go 1.21
