module standin.example/firstanswer

go 1.21

require github.com/standin/standin-go v0.0.0

replace github.com/standin/standin-go => ../../../clients/go
